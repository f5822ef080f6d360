<?php

declare(strict_types=1);

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Slim\Factory\AppFactory;

require __DIR__ . '/vendor/autoload.php';

const TOLERANCE_SECONDS = 300;

$app = AppFactory::create();

$app->post('/hooks', function (ServerRequestInterface $request, ResponseInterface $response): ResponseInterface {
    // The bytes that were signed, before any JSON parser.
    $body = (string) $request->getBody();
    if (!isGenuine($body, $request, getenv('SIGNING_SECRET'))) {
        return $response->withStatus(401);
    }
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    // The same event may come twice: remember the ids.
    error_log("{$event['type']} {$event['id']}");
    return $response->withStatus(204);
});

/** Whether a delivery is the service's own, and was sent in the last five minutes. */
function isGenuine(string $body, ServerRequestInterface $request, string|false $signingSecret): bool
{
    $id = $request->getHeaderLine('webhook-id');
    $sentAt = $request->getHeaderLine('webhook-timestamp');
    if ($id === '' || !ctype_digit($sentAt) || abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', (string) $signingSecret), true);
    // Everybody can sign with an empty key: without a secret nothing is genuine.
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    // After a rotation there is a signature for each of the two secrets.
    foreach (explode(' ', $request->getHeaderLine('webhook-signature')) as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}

// Try it: composer require slim/slim slim/psr7
// SIGNING_SECRET=whsec_… php -S 127.0.0.1:4000 receiver.php
$app->run();
