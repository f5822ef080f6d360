<?php

declare(strict_types=1);

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

require __DIR__ . '/vendor/autoload.php';

const TOLERANCE_SECONDS = 300;
const MAX_BYTES = 1 << 20;

/** Call it from a controller of Symfony or a route of Laravel, whose requests are of this class. */
function receive(Request $request): Response
{
    // The bytes that were signed, before any JSON parser.
    $body = $request->getContent();
    if (strlen($body) > MAX_BYTES) {
        return refused('The body is too large.', 413);
    }
    if (!isGenuine($body, $request, (string) getenv('SIGNING_SECRET'))) {
        return refused('The delivery is not genuine.');
    }
    $event = json_decode($body, true);
    // A delivery of another event's id is none of the service's.
    if (($event['id'] ?? null) !== $request->headers->get('webhook-id')) {
        return refused('The delivery is of another event.');
    }
    // Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
    error_log("{$event['type']} {$event['id']}");
    return new Response(status: 204);
}

function refused(string $reason, int $status = 401): Response
{
    error_log("Refused: $reason");
    return new Response(status: $status);
}

/** Whether a delivery is the service's own, and was sent in the last five minutes. */
function isGenuine(string $body, Request $request, string $signingSecret): bool
{
    $id = (string) $request->headers->get('webhook-id');
    $sentAt = (string) $request->headers->get('webhook-timestamp');
    // An id is ASCII: other bytes of a header are read differently by different servers.
    if (!preg_match('/^[!-~]+$/D', $id) || !ctype_digit($sentAt)) {
        return false;
    }
    if (abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $signingSecret), true);
    // Everybody can sign with an empty key: without a secret nothing is genuine.
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    // After a rotation there is a signature for each of the two secrets.
    foreach (explode(' ', (string) $request->headers->get('webhook-signature')) as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}

// Try it: composer require symfony/http-foundation
// SIGNING_SECRET=whsec_… php -S 127.0.0.1:4000 receiver.php
receive(Request::createFromGlobals())->send();
