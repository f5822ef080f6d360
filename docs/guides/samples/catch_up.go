package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

type page struct {
	Data       []event `json:"data"`
	NextCursor string  `json:"nextCursor"`
	HasMore    bool    `json:"hasMore"`
}

var client = &http.Client{Timeout: 30 * time.Second}

// catchUp handles every event since the checkpoint in a file. handle may get an event twice: remember the ids.
func catchUp(checkpoint string, handle func(event) error) error {
	stored, err := os.ReadFile(checkpoint)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	next := page{NextCursor: string(stored), HasMore: true}
	for next.HasMore {
		if next, err = getPage(next.NextCursor); err != nil {
			return err
		}
		for _, each := range next.Data {
			if err := handle(each); err != nil {
				return err
			}
		}
		// Only now: after a crash the page is read again.
		if err := os.WriteFile(checkpoint+".new", []byte(next.NextCursor), 0o600); err != nil {
			return err
		}
		if err := os.Rename(checkpoint+".new", checkpoint); err != nil {
			return err
		}
	}
	return nil
}

// getPage gets the page after a cursor. If the cursor is too old: from the oldest event that is kept.
func getPage(cursor string) (page, error) {
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	request, err := http.NewRequest("GET", os.Getenv("BASE")+"/v1/events?"+query.Encode(), nil)
	if err != nil {
		return page{}, err
	}
	request.Header.Set("X-API-Key", os.Getenv("KEY"))
	response, err := client.Do(request)
	if err != nil {
		return page{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return page{}, err
	}
	status := response.StatusCode
	var refusal struct{ Error string }
	_ = json.Unmarshal(body, &refusal)
	switch {
	case status == 200:
		var got page
		err := json.Unmarshal(body, &got)
		return got, err
	case refusal.Error == "events_expired" && cursor != "":
		fmt.Fprintf(os.Stderr, "Events may be lost: %s\n", body)
		return getPage("")
	case status != 429 && status < 500:
		return page{}, fmt.Errorf("%s", body)
	}
	// A proxy may send a date instead.
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return getPage(cursor)
}

// Try it: BASE=https://… KEY=rr_dev_… go run catch_up.go checkpoint.txt
func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "Usage: go run catch_up.go <checkpoint file>")
		os.Exit(2)
	}
	err := catchUp(os.Args[1], func(each event) error {
		_, err := fmt.Println(each.ID, each.Type)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
