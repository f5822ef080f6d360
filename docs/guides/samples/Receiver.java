import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.javalin.http.Context;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Receiver {
    static final int TOLERANCE_SECONDS = 300;
    static final int MAX_BYTES = 1 << 20;
    static final ObjectMapper JSON = new ObjectMapper();

    static void receive(Context context) throws GeneralSecurityException, IOException {
        // The bytes that were signed, before any JSON parser. A chunked body may have any length.
        byte[] body = context.bodyInputStream().readNBytes(MAX_BYTES + 1);
        if (body.length > MAX_BYTES) {
            refuse(context, 413, "The body is too large.");
            return;
        }
        if (!isGenuine(body, context, System.getenv("SIGNING_SECRET"))) {
            refuse(context, 401, "The delivery is not genuine.");
            return;
        }
        JsonNode event = eventIn(body);
        // A delivery of another event's id is none of the service's.
        if (!event.path("id").asText().equals(header(context, "webhook-id"))) {
            refuse(context, 401, "The delivery is of another event.");
            return;
        }
        // Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
        System.out.println(event.path("type").asText() + " " + event.path("id").asText());
        context.status(204);
    }

    static void refuse(Context context, int status, String reason) {
        System.err.println("Refused: " + reason);
        context.status(status);
    }

    /** Whether a delivery is the service's own, and was sent in the last five minutes. */
    static boolean isGenuine(byte[] body, Context context, String signingSecret) throws GeneralSecurityException {
        String id = header(context, "webhook-id"), sentAt = header(context, "webhook-timestamp");
        // An id is ASCII: other bytes of a header are read differently by different servers.
        if (!id.matches("[!-~]+") || !sentAt.matches("[0-9]{1,12}")) return false;
        long age = System.currentTimeMillis() / 1000 - Long.parseLong(sentAt);
        byte[] key = keyOf(signingSecret);
        // Everybody can sign with an empty key: without a secret nothing is genuine.
        if (Math.abs(age) > TOLERANCE_SECONDS || key.length == 0) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + sentAt + ".").getBytes(UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
        // After a rotation there is a signature for each of the two secrets.
        return Stream.of(header(context, "webhook-signature").split(" "))
            .anyMatch(each -> MessageDigest.isEqual(expected, each.getBytes(UTF_8)));
    }

    static String header(Context context, String name) {
        String value = context.header(name);
        return value == null ? "" : value;
    }

    static byte[] keyOf(String signingSecret) {
        if (signingSecret == null) return new byte[0];
        try {
            return Base64.getDecoder().decode(signingSecret.replaceFirst("^whsec_", ""));
        } catch (IllegalArgumentException notBase64) {
            return new byte[0];
        }
    }

    static JsonNode eventIn(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (IOException notJson) {
            return JSON.nullNode();
        }
    }

    // Try it, with the JARs of io.javalin:javalin:6.7.0 and com.fasterxml.jackson.core:jackson-databind:2.20.0, and of all
    // that they depend on, in lib (mvn dependency:copy-dependencies -DoutputDirectory=lib):
    // SIGNING_SECRET=whsec_… java -cp 'lib/*' Receiver.java
    public static void main(String[] arguments) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4000"));
        Javalin.create()
            .post("/hooks", Receiver::receive)
            .start("127.0.0.1", port);
    }
}
