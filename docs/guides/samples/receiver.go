package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var visible = regexp.MustCompile(`^[!-~]+$`)

func receive(response http.ResponseWriter, request *http.Request) {
	// The bytes that were signed, before any JSON parser.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		refuse(response, http.StatusRequestEntityTooLarge, "The body is too large.")
		return
	}
	if err != nil || !isGenuine(body, request.Header, os.Getenv("SIGNING_SECRET")) {
		refuse(response, http.StatusUnauthorized, "The delivery is not genuine.")
		return
	}
	var event struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	// A delivery of another event's id is none of the service's.
	if err := json.Unmarshal(body, &event); err != nil || event.ID != request.Header.Get("webhook-id") {
		refuse(response, http.StatusUnauthorized, "The delivery is of another event.")
		return
	}
	// Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
	log.Print(event.Type, " ", event.ID)
	response.WriteHeader(http.StatusNoContent)
}

func refuse(response http.ResponseWriter, status int, reason string) {
	log.Print("Refused: ", reason)
	http.Error(response, reason, status)
}

// isGenuine says whether a delivery is the service's own, and was sent in the last five minutes.
func isGenuine(body []byte, header http.Header, signingSecret string) bool {
	id, sentAt := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	// An id is ASCII: other bytes of a header are read differently by different servers.
	if err != nil || !visible.MatchString(id) || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signingSecret, "whsec_"))
	// Everybody can sign with an empty key: without a secret nothing is genuine.
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sentAt + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// After a rotation there is a signature for each of the two secrets.
	for _, each := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(each)) {
			return true
		}
	}
	return false
}

// Try it: SIGNING_SECRET=whsec_… go run receiver.go
func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	http.HandleFunc("POST /hooks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
