import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;

/** Loads an OpenAPI description with Swagger Parser, which also resolves its references. */
class Validate {
    public static void main(String[] arguments) {
        var options = new ParseOptions();
        options.setResolve(true);
        var result = new OpenAPIV3Parser().readLocation(arguments[0], null, options);
        if (result.getOpenAPI() == null || !result.getMessages().isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", result.getMessages()));
        }
    }
}
