package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// IsGenuine says whether a delivery is the service's own: signature is its X-RR-Signature, body its bytes as received.
func IsGenuine(body []byte, signature, signingSecret string) bool {
	// Everybody can sign with an empty key: without a secret nothing is genuine.
	if signingSecret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(signingSecret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}

// Try it: SIGNING_SECRET=whsec_… go run verify.go 'sha256=…' < body.json
func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "Usage: SIGNING_SECRET=whsec_... go run verify.go 'sha256=...' < body.json")
		os.Exit(2)
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !IsGenuine(body, os.Args[1], os.Getenv("SIGNING_SECRET")) {
		fmt.Println("not genuine")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
