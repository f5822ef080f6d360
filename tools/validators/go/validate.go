// Command validate loads an OpenAPI description and validates it, its patterns and its examples.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	document, err := openapi3.NewLoader().LoadFromFile(os.Args[1])
	check(err)
	check(document.Validate(context.Background(), openapi3.EnableExamplesValidation()))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
