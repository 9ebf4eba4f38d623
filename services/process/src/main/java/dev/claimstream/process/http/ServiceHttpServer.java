package dev.claimstream.process.http;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small HTTP server with a bounded number of threads, and the limits of {@link HttpLimits}.
 *
 * <p>A request that does not arrive in time is ended, so that it does not keep its thread.
 */
public final class ServiceHttpServer implements AutoCloseable {
    /** Maximum number of requests that are read or answered at once. */
    public static final int THREADS = 16;

    private static final int BACKLOG = 64;
    private static final String LENGTH = "Content-Length";

    private final HttpServer server;
    private final ExecutorService threads;

    private ServiceHttpServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Starts a server for all paths.
     *
     * @param name prefix of the names of its threads
     * @param address port 0 for any free port
     * @param access decides about each request before it is handled
     * @throws IOException if it cannot listen there
     */
    public static ServiceHttpServer start(String name, InetSocketAddress address, Filter access, HttpHandler handler)
            throws IOException {
        HttpLimits.apply();
        var server = HttpServer.create(address, BACKLOG);
        ExecutorService threads = Executors.newFixedThreadPool(
                THREADS, Thread.ofPlatform().daemon().name(name + "-", 1).factory());
        server.createContext("/", handler).getFilters().add(access);
        server.setExecutor(threads);
        server.start();
        return new ServiceHttpServer(server, threads);
    }

    /**
     * Reads the body of a request; empty if it is larger than a limit. A body of a larger announced length is not read.
     *
     * @throws IOException if the client ends the connection, or the request takes too long
     */
    public static Optional<byte[]> body(HttpExchange exchange, int bytesMax) throws IOException {
        boolean isAnnounced = Optional.ofNullable(exchange.getRequestHeaders().getFirst(LENGTH))
                .filter(text -> text.length() > String.valueOf(bytesMax).length() || Long.parseLong(text) > bytesMax)
                .isPresent();
        if (isAnnounced) {
            return Optional.empty();
        }
        byte[] body = exchange.getRequestBody().readNBytes(bytesMax + 1);
        return body.length > bytesMax ? Optional.empty() : Optional.of(body);
    }

    /** The address on which it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
