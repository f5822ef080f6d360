// Command verify verifies a delivery with the Go library of Standard Webhooks.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	file, err := os.ReadFile(os.Args[1])
	check(err)
	var delivery struct {
		SigningSecret string
		Headers       map[string]string
		Body          string
	}
	check(json.Unmarshal(file, &delivery))
	headers := http.Header{}
	for name, value := range delivery.Headers {
		headers.Set(name, value)
	}

	webhook, err := standardwebhooks.NewWebhook(delivery.SigningSecret)
	check(err)
	check(webhook.Verify([]byte(delivery.Body), headers))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
