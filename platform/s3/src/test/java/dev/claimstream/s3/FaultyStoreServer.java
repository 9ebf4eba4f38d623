package dev.claimstream.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers the reading requests of S3 from a folder, with faults at one key or list. The bucket is {@code bucket}. */
final class FaultyStoreServer implements AutoCloseable {
    private static final String BUCKET = "/bucket/";

    private final Path folder;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String faultyKey = "none";
    private volatile StoreFault fault = StoreFault.REJECTS;

    /** What happens to requests for the faulty key. */
    enum StoreFault {
        /** 503 with the code of S3. */
        REJECTS,
        /** No byte of a response. */
        IS_SILENT,
        /** Half of the object, then no byte more. */
        STOPS
    }

    private FaultyStoreServer(Path folder, HttpServer http) {
        this.folder = folder;
        this.http = http;
    }

    static FaultyStoreServer start(Path folder) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var server = new FaultyStoreServer(folder, http);
        http.createContext("/", server::answer);
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    /** Lets requests fail whose key, or prefix of a list, ends with this text. */
    void fail(String key, StoreFault how) {
        faultyKey = key;
        fault = how;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            boolean isList = path.length() <= BUCKET.length();
            String name = isList ? parameter(exchange, "prefix") : path.substring(BUCKET.length());
            byte[] content = isList ? list(name) : Files.readAllBytes(folder.resolve(name));
            if (!name.endsWith(faultyKey)) {
                send(exchange, 200, content, content.length);
            } else if (fault == StoreFault.REJECTS) {
                byte[] rejection = "<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
                        .getBytes(StandardCharsets.UTF_8);
                send(exchange, 503, rejection, rejection.length);
            } else {
                if (fault == StoreFault.STOPS) {
                    send(exchange, 200, content, content.length / 2);
                }
                awaitClose();
            }
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body, int sent) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body, 0, sent);
        exchange.getResponseBody().flush();
    }

    private void awaitClose() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String parameter(HttpExchange exchange, String name) {
        return Stream.of(exchange.getRequestURI().getRawQuery().split("&"))
                .filter(each -> each.startsWith(name + "="))
                .map(each -> URLDecoder.decode(each.substring(name.length() + 1), StandardCharsets.UTF_8))
                .findFirst()
                .orElse("");
    }

    private byte[] list(String prefix) throws IOException {
        Path listed = folder.resolve(prefix);
        if (!Files.isDirectory(listed)) {
            return "<ListBucketResult></ListBucketResult>".getBytes(StandardCharsets.UTF_8);
        }
        try (Stream<Path> files = Files.list(listed)) {
            return files.sorted()
                    .map(each -> entry(prefix + each.getFileName(), each))
                    .collect(Collectors.joining("", "<ListBucketResult>", "</ListBucketResult>"))
                    .getBytes(StandardCharsets.UTF_8);
        }
    }

    private static String entry(String key, Path file) {
        try {
            return Files.isDirectory(file)
                    ? "<CommonPrefixes><Prefix>%s/</Prefix></CommonPrefixes>".formatted(key)
                    : "<Contents><Key>%s</Key><Size>%d</Size></Contents>".formatted(key, Files.size(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        http.stop(0);
        threads.close();
    }
}
