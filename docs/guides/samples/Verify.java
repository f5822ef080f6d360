import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Verify {
    /** Whether a delivery is the service's own: signature is its X-RR-Signature, body its bytes as received. */
    static boolean isGenuine(byte[] body, String signature, String signingSecret) throws GeneralSecurityException {
        // Everybody can sign with an empty key: without a secret nothing is genuine.
        if (signingSecret == null || signingSecret.isEmpty()) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(signingSecret.getBytes(UTF_8), "HmacSHA256"));
        String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
        return MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8));
    }

    // Try it: SIGNING_SECRET=whsec_... java Verify.java 'sha256=...' < body.json
    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        if (arguments.length != 1) {
            System.err.println("Usage: SIGNING_SECRET=whsec_... java Verify.java 'sha256=...' < body.json");
            System.exit(2);
        }
        byte[] body = System.in.readAllBytes();
        boolean genuine = isGenuine(body, arguments[0], System.getenv("SIGNING_SECRET"));
        System.out.println(genuine ? "genuine" : "not genuine");
        System.exit(genuine ? 0 : 1);
    }
}
