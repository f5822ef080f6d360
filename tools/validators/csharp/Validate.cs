using Microsoft.OpenApi;

// Loads an OpenAPI description with Microsoft.OpenApi, which reports what it cannot read or finds invalid.
var (document, diagnostic) = await OpenApiDocument.LoadAsync(args[0]);
foreach (var error in diagnostic?.Errors ?? []) Console.Error.WriteLine($"{error.Pointer}: {error.Message}");
return document is null || diagnostic?.Errors.Count > 0 ? 1 : 0;
