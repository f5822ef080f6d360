using System.Security.Cryptography;
using System.Text;

// Try it: SIGNING_SECRET=whsec_… dotnet run Verify.cs 'sha256=…' < body.json
if (args.Length != 1)
{
    Console.Error.WriteLine("Usage: SIGNING_SECRET=whsec_... dotnet run Verify.cs 'sha256=...' < body.json");
    return 2;
}
using var body = new MemoryStream();
await Console.OpenStandardInput().CopyToAsync(body);
var genuine = WebhookSignature.IsGenuine(body.ToArray(), args[0], Environment.GetEnvironmentVariable("SIGNING_SECRET"));
Console.WriteLine(genuine ? "genuine" : "not genuine");
return genuine ? 0 : 1;

// In a program of your own, leave the lines above away: they are this one's entry point.
public static class WebhookSignature
{
    // Whether a delivery is the service's own: signature is its X-RR-Signature, body its bytes as received.
    public static bool IsGenuine(byte[] body, string signature, string? signingSecret)
    {
        // Everybody can sign with an empty key: without a secret nothing is genuine.
        if (string.IsNullOrEmpty(signingSecret)) return false;
        var digest = HMACSHA256.HashData(Encoding.UTF8.GetBytes(signingSecret), body);
        var expected = "sha256=" + Convert.ToHexString(digest).ToLowerInvariant();
        return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(signature));
    }
}
