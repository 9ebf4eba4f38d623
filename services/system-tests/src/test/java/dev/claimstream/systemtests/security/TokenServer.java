package dev.claimstream.systemtests.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An OAuth server on loopback. It issues short tokens for the credentials of a client, and publishes the key that verifies
 * them as a JSON Web Key Set.
 */
final class TokenServer implements AutoCloseable {
    static final String AUDIENCE = "kafka";

    private static final Duration TOKEN_LIFETIME = Duration.ofSeconds(5);
    private static final String KEY_ID = "test";

    private final HttpServer server;
    private final KeyPair keys;
    private final String client;
    private final String authorization;
    private final AtomicInteger issued = new AtomicInteger();

    private TokenServer(HttpServer server, KeyPair keys, String client, String secret) {
        this.server = server;
        this.keys = keys;
        this.client = client;
        authorization =
                "Basic " + Base64.getEncoder().encodeToString((client + ":" + secret).getBytes(StandardCharsets.UTF_8));
    }

    /** Starts a server for one client, which is the subject of its tokens. */
    static TokenServer start(String client, String secret) throws IOException, GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var tokens = new TokenServer(server, generator.generateKeyPair(), client, secret);
        server.createContext("/token", tokens::issue);
        server.createContext("/keys", tokens::publishKeys);
        server.start();
        return tokens;
    }

    private URI url(String path) {
        return URI.create("http://127.0.0.1:%d/%s".formatted(server.getAddress().getPort(), path));
    }

    URI tokenEndpoint() {
        return url("token");
    }

    URI keySet() {
        return url("keys");
    }

    /** Number of tokens that were issued. */
    int issued() {
        return issued.get();
    }

    private void issue(HttpExchange exchange) throws IOException {
        boolean isKnown = authorization.equals(exchange.getRequestHeaders().getFirst("Authorization"));
        if (isKnown) {
            issued.incrementAndGet();
            answer(exchange, "{\"access_token\":\"%s\",\"token_type\":\"Bearer\"}".formatted(token()));
        } else {
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
        }
    }

    private String token() throws IOException {
        long now = Instant.now().getEpochSecond();
        String content = encoded("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"%s\"}".formatted(KEY_ID)) + "."
                + encoded("{\"sub\":\"%s\",\"aud\":\"%s\",\"scope\":\"kafka\",\"iat\":%d,\"exp\":%d}"
                        .formatted(client, AUDIENCE, now, now + TOKEN_LIFETIME.toSeconds()));
        try {
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + encoded(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void publishKeys(HttpExchange exchange) throws IOException {
        var key = (RSAPublicKey) keys.getPublic();
        answer(
                exchange,
                "{\"keys\":[{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"%s\",\"n\":\"%s\",\"e\":\"%s\"}]}"
                        .formatted(KEY_ID, encoded(key.getModulus()), encoded(key.getPublicExponent())));
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String encoded(String text) {
        return encoded(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Without the byte of the sign. */
    private static String encoded(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return encoded(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
