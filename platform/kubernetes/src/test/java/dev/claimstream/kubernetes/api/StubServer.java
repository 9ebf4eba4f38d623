package dev.claimstream.kubernetes.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A server with prepared responses. Other requests get 404. The last response of a path repeats. */
final class StubServer implements AutoCloseable {
    private static final int STREAM = 0;

    private final HttpServer server;
    private final Map<String, Queue<StubResponse>> responses = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Writes one response. */
    interface StubResponse {
        void to(HttpExchange exchange) throws IOException, InterruptedException;
    }

    StubServer() {
        server = LocalServer.start(this::respond);
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Received requests, as {@code METHOD PATH?QUERY BODY}. */
    List<String> requests() {
        return requests;
    }

    /** Adds responses, one each, for requests that begin with this text. */
    StubServer onRequest(String begin, StubResponse... said) {
        responses.computeIfAbsent(begin, _ -> new ArrayDeque<>()).addAll(List.of(said));
        return this;
    }

    /** A complete JSON response. */
    static StubResponse json(int code, String text, String... headers) {
        return exchange -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
            }
            byte[] bytes = text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        };
    }

    /** Closes the connection without a response. */
    static StubResponse connectionLoss() {
        return HttpExchange::close;
    }

    /** Sends no response until the server closes. */
    StubResponse noResponse() {
        return _ -> closed.await();
    }

    /** Sends lines, then ends the response in order. */
    static StubResponse lines(String... lines) {
        return exchange -> {
            write(exchange, lines);
            exchange.close();
        };
    }

    /** Sends lines, then keeps the response open. */
    StubResponse linesThenOpen(String... lines) {
        return exchange -> {
            write(exchange, lines);
            closed.await();
        };
    }

    /** Sends lines of an incomplete response, then breaks the connection. */
    static StubResponse linesThenCut(String... lines) {
        return linesThenCut(new CountDownLatch(0), lines);
    }

    /**
     * Sends lines of an incomplete response, then breaks the connection on the signal. A break may lose lines that are
     * in transit.
     */
    static StubResponse linesThenCut(CountDownLatch moment, String... lines) {
        return exchange -> {
            int length = 1 << 20;
            exchange.sendResponseHeaders(200, length);
            OutputStream out = exchange.getResponseBody();
            for (String line : lines) {
                out.write((line + "\n").replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            }
            out.flush();
            moment.await();
            exchange.close();
        };
    }

    private static void write(HttpExchange exchange, String... lines) throws IOException {
        exchange.sendResponseHeaders(200, STREAM);
        for (String line : lines) {
            exchange.getResponseBody().write((line + "\n").replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        }
    }

    private void respond(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        requests.add(request + (body.isEmpty() ? "" : " " + body));
        try {
            nextResponse(request).to(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized StubResponse nextResponse(String request) {
        return responses.entrySet().stream()
                .filter(each -> request.startsWith(each.getKey()))
                .max((a, b) -> Integer.compare(a.getKey().length(), b.getKey().length()))
                .map(each -> each.getValue().size() > 1
                        ? each.getValue().remove()
                        : each.getValue().element())
                .orElse(json(404, "{'kind':'Status','code':404,'message':'not found'}"));
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
