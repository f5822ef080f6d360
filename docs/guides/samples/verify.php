<?php

declare(strict_types=1);

/** Whether a delivery is the service's own: $signature is its X-RR-Signature, $body its bytes as received. */
function isGenuine(string $body, string $signature, string|false|null $signingSecret): bool
{
    // Everybody can sign with an empty key: without a secret nothing is genuine.
    if (!$signingSecret) {
        return false;
    }
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $signingSecret), $signature);
}

// Try it: SIGNING_SECRET=whsec_… php verify.php 'sha256=…' < body.json
if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    if ($argc !== 2) {
        fwrite(STDERR, "Usage: SIGNING_SECRET=whsec_... php verify.php 'sha256=...' < body.json\n");
        exit(2);
    }
    $genuine = isGenuine(stream_get_contents(STDIN), $argv[1], getenv('SIGNING_SECRET'));
    echo $genuine ? "genuine\n" : "not genuine\n";
    exit($genuine ? 0 : 1);
}
