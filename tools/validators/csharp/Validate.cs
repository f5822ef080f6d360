using System;
using System.Linq;
using NSwag;

/// <summary>Loads an OpenAPI description with NSwag, which throws at what it cannot read or resolve.</summary>
static class Validate
{
    static int Main(string[] arguments)
    {
        var document = OpenApiDocument.FromFileAsync(arguments[0]).GetAwaiter().GetResult();
        if (document.Operations.Any()) return 0;
        Console.Error.WriteLine("The description contains no operation.");
        return 1;
    }
}
