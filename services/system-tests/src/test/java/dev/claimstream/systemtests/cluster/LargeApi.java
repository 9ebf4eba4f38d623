package dev.claimstream.systemtests.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.standalone.Loopback;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An API server that identifies its cluster and has many generated pods. Its watches send no changes. */
final class LargeApi implements AutoCloseable {
    private static final int STREAM = 0;
    private static final long VERSION = 1_000_000;
    private static final Pattern LIMIT = Pattern.compile("limit=([0-9]+)");
    private static final Pattern CONTINUE = Pattern.compile("continue=([0-9]+)");

    private static final String LONG = "x".repeat(1200);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicLong bytes = new AtomicLong();
    private volatile int pods;

    LargeApi(int pods) throws IOException {
        this.pods = pods;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::respond);
        server.start();
    }

    String url() {
        return "http://%s:%d".formatted(Loopback.HOST, server.getAddress().getPort());
    }

    static String name(int pod) {
        return "pod-" + pod;
    }

    /** Keeps only the first pods; no watch reports the deletions. */
    void keepFirst(int first) {
        pods = first;
    }

    /** Returns the total size of all lists. */
    long bytes() {
        return bytes.get();
    }

    private void respond(HttpExchange exchange) throws IOException {
        String asked = exchange.getRequestURI().toString();
        try (exchange) {
            if (asked.contains("watch=1")) {
                stayOpen(exchange);
            } else if (asked.contains("limit=")) {
                list(exchange, asked);
            } else if (asked.equals("/api/v1/namespaces/kube-system")) {
                identify(exchange);
            } else {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, -1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stayOpen(HttpExchange exchange) throws IOException, InterruptedException {
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, STREAM);
        exchange.getResponseBody()
                .write(utf8("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%d\"}}}\n"
                        .formatted(VERSION)));
        exchange.getResponseBody().flush();
        closed.await();
    }

    private static void identify(HttpExchange exchange) throws IOException {
        byte[] namespace = utf8("{\"metadata\":{\"name\":\"kube-system\",\"uid\":\"uid-of-the-cluster\"}}");
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, namespace.length);
        exchange.getResponseBody().write(namespace);
    }

    /** Writes a page of the requested size, from the end of the previous page. */
    private void list(HttpExchange exchange, String asked) throws IOException {
        int all = asked.startsWith("/api/v1/pods?") ? pods : 0;
        int from = number(CONTINUE, asked);
        int end = Math.min(all, from + number(LIMIT, asked));
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, STREAM);
        try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody())) {
            write(
                    out,
                    "{\"metadata\":{\"resourceVersion\":\"%d\",\"continue\":\"%s\"},\"items\":["
                            .formatted(VERSION, end < all ? Integer.toString(end) : ""));
            for (int pod = from; pod < end; pod++) {
                write(out, (pod > from ? "," : "") + pod(pod));
            }
            write(out, "]}");
        }
    }

    /**
     * Returns a pod with large fields. The watcher keeps the annotation, and drops managed fields and environment
     * variables.
     */
    private static String pod(int pod) {
        return """
            {"metadata":{"name":"%1$s","namespace":"team","uid":"uid-%1$s","resourceVersion":"%2$d","labels":{"app":"%1$s"},
            "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"%3$s"},
            "managedFields":[{"manager":"kubectl","operation":"Update","fieldsType":"FieldsV1","fieldsV1":{"f:%3$s":{}}}]},
            "spec":{"nodeName":"node-1","containers":[{"name":"main","image":"none","env":[{"name":"LONG","value":"%3$s"}]}],
            "nodeSelector":{"example.com/zone":"zone-of-%1$s","example.com/rack":"rack-of-%1$s"},
            "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
            {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
            "resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"gpu"}]},
            "status":{"phase":"Running","resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"%1$s-gpu"}]}}
            """.formatted(name(pod), pod + 1, LONG);
    }

    private static int number(Pattern pattern, String asked) {
        Matcher found = pattern.matcher(asked);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    private void write(OutputStream out, String text) throws IOException {
        byte[] written = utf8(text);
        bytes.addAndGet(written.length);
        out.write(written);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.close();
    }
}
