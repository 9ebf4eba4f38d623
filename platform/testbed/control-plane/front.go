package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A proxy in front of an API server that injects the faults of a schedule.
type front struct {
	passing  *httputil.ReverseProxy
	schedule *schedule
	page     int
	token    string // of its clients
	watches  watches
}

func newFront(path string, chosen *schedule, page int) (*front, error) {
	if path == "" {
		return nil, fmt.Errorf("--kubeconfig is missing, and KUBECONFIG is not set: name the kubeconfig of the API server to stand before")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: server %s: %w", path, config.Host, err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	passing := &httputil.ReverseProxy{
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(server) },
		Transport:     transport,
		FlushInterval: -1, // events of a watch are passed on at once
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { hangUp() }, // as without a server
	}
	return &front{passing: passing, schedule: chosen, page: page}, nil
}

// hangUp closes the connection without a response, or in the middle of one.
func hangUp() { panic(http.ErrAbortHandler) }

func (f *front) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if request.Header.Get("Authorization") != "Bearer "+f.token {
		refuse(writer, http.StatusUnauthorized, meta.StatusReasonUnauthorized, "only with the kubeconfig that was written for it")
		return
	}
	request.Header.Del("Authorization") // the transport sets the token for the API server
	f.shorten(request)
	if isWatch(request) {
		ctx, over := f.watches.open(request.Context(), func() { f.schedule.count(cut) })
		defer over()
		request = request.WithContext(ctx)
	}
	switch name, after := f.schedule.next(request); name {
	case tooMany:
		f.schedule.sendAway(request, after)
		writer.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
		refuse(writer, http.StatusTooManyRequests, meta.StatusReasonTooManyRequests, "too many requests, please try again later")
	case broken:
		f.schedule.count(broken)
		f.fail(writer)
	case slow:
		f.schedule.count(slow)
		pause(request.Context(), after)
		f.passing.ServeHTTP(writer, request)
	case lost:
		f.schedule.count(lost)
		hangUp()
	case unheard:
		f.swallow(request)
	case cut, expired:
		f.watchUntil(writer, request, after, name)
	case forgotten:
		f.schedule.count(forgotten)
		refuse(writer, http.StatusGone, meta.StatusReasonExpired, "the provided continue parameter is too old to display a consistent list result")
	default:
		f.passing.ServeHTTP(writer, request)
	}
}

// shorten returns lists in more pages than requested.
func (f *front) shorten(request *http.Request) {
	query := request.URL.Query()
	if asked, err := strconv.Atoi(query.Get("limit")); f.page > 0 && err == nil && asked > f.page {
		query.Set("limit", strconv.Itoa(f.page))
		request.URL.RawQuery = query.Encode()
	}
}

// fail responds in turn as an API server with an internal error, and as a load balancer without a server, whose body is no Status object.
func (f *front) fail(writer http.ResponseWriter) {
	if f.schedule.number(broken)%2 == 0 {
		refuse(writer, http.StatusInternalServerError, meta.StatusReasonInternalError, "an error on the server has prevented the request from succeeding")
		return
	}
	http.Error(writer, "no server is available to handle this request", http.StatusServiceUnavailable)
}

func refuse(writer http.ResponseWriter, code int, reason meta.StatusReason, message string) {
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(code)
	_ = json.NewEncoder(writer).Encode(refusal(code, reason, message)) // the client may have closed the connection
}

func refusal(code int, reason meta.StatusReason, message string) meta.Status {
	return meta.Status{TypeMeta: meta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: meta.StatusFailure, Code: int32(code), Reason: reason, Message: message}
}

func pause(ctx context.Context, after time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(after):
	}
}

// swallow forwards a write and drops its response.
func (f *front) swallow(request *http.Request) {
	into := &swallowed{header: http.Header{}}
	f.passing.ServeHTTP(into, request)
	if into.code >= 200 && into.code < 300 {
		f.schedule.count(unheard)
	}
	hangUp()
}

// A response that is dropped.
type swallowed struct {
	header http.Header
	code   int
}

func (s *swallowed) Header() http.Header               { return s.header }
func (s *swallowed) WriteHeader(code int)              { s.code = code }
func (s *swallowed) Write(content []byte) (int, error) { return len(content), nil }

// watchUntil forwards a watch for a time, then ends it as the fault requires.
func (f *front) watchUntil(writer http.ResponseWriter, request *http.Request, after time.Duration, name string) {
	passing := *f.passing
	passing.ModifyResponse = func(response *http.Response) error {
		if response.StatusCode == http.StatusOK {
			response.Body = f.ending(response.Body, after, name)
		}
		return nil
	}
	passing.ServeHTTP(writer, request)
}

// ending is a watch that ends early.
func (f *front) ending(events io.ReadCloser, after time.Duration, name string) io.ReadCloser {
	reader, writer := io.Pipe()
	var isTime atomic.Bool
	timer := time.AfterFunc(after, func() {
		isTime.Store(true)
		_ = events.Close()
	})
	go func() {
		defer timer.Stop()
		defer events.Close()
		err := passEvents(events, writer)
		if !isTime.Load() {
			_ = writer.CloseWithError(err)
			return
		}
		f.schedule.count(name)
		if name == expired {
			_ = json.NewEncoder(writer).Encode(map[string]any{"type": "ERROR",
				"object": refusal(http.StatusGone, meta.StatusReasonExpired, "too old resource version")})
			_ = writer.Close()
			return
		}
		_, _ = io.WriteString(writer, `{"type":"MODIFIED","object":{"kind":`)
		_ = writer.CloseWithError(io.ErrUnexpectedEOF)
	}()
	return reader
}

// passEvents forwards whole events, one per line, until the end of the watch. It returns io.EOF for a regular end.
func passEvents(from io.Reader, to io.Writer) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
}
