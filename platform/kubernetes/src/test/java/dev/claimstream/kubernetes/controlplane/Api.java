package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Plain requests to the API server of a control plane, as somebody. */
final class Api {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long BETWEEN_LOOKS_MS = 50;

    private final HttpClient client;
    private final URI server;
    private final String token;

    Api(ControlPlane plane, Identity who) {
        try {
            String kubeconfig = Files.readString(plane.kubeconfig(who));
            client = HttpClient.newBuilder()
                    .sslContext(trusting(Base64.getDecoder().decode(value(kubeconfig, "certificate-authority-data"))))
                    .build();
            token = value(kubeconfig, "token");
            server = plane.server();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String value(String kubeconfig, String name) {
        Matcher found = Pattern.compile(name + ": ([^ }]+)").matcher(kubeconfig);
        if (!found.find()) {
            throw new IllegalStateException("no " + name);
        }
        return found.group(1);
    }

    private static SSLContext trusting(byte[] certificate) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "server",
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate)));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** What the server answered. */
    record Answer(int status, String body) {
        /** The text or number at a path of names and indices. */
        Optional<String> at(Object... path) {
            return tree(path)
                    .map(found -> found instanceof Tree.Text text
                            ? text.value()
                            : found instanceof Tree.Numeral numeral ? numeral.literal() : found.toString());
        }

        /** The value at a path. */
        Optional<Tree> tree(Object... path) {
            Optional<Tree> found = Optional.of(TreeReader.json(body));
            for (Object step : path) {
                found = found.flatMap(each -> switch (each) {
                    case Tree.Mapping mapping ->
                        Optional.ofNullable(mapping.fields().get(step));
                    case Tree.Sequence list
                    when step instanceof Integer i && i < list.items().size() ->
                        Optional.of(list.items().get(i));
                    case Tree.Sequence _, Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ ->
                        Optional.<Tree>empty();
                });
            }
            return found;
        }

        String version() {
            return at("metadata", "resourceVersion").orElseThrow(() -> new AssertionError(body));
        }

        String uid() {
            return at("metadata", "uid").orElseThrow(() -> new AssertionError(body));
        }

        /** Of a refusal: its first cause, as {@code field reason message}. */
        String cause() {
            return "%s %s %s"
                    .formatted(
                            at("details", "causes", 0, "field").orElse("-"),
                            at("details", "causes", 0, "reason").orElse("-"),
                            at("details", "causes", 0, "message").orElse("-"));
        }
    }

    Answer get(String path) {
        return send(path, "GET", "application/json", "");
    }

    /** Creates an object from YAML. */
    Answer create(String path, String yaml) {
        return send(path, "POST", "application/yaml", yaml);
    }

    /** Creates what has to be there. */
    Answer make(String path, String yaml) {
        Answer made = create(path, yaml);
        if (made.status() != 201) {
            throw new AssertionError(made);
        }
        return made;
    }

    Answer put(String path, String json) {
        return send(path, "PUT", "application/json", json);
    }

    /** A strategic merge patch. */
    Answer patch(String path, String json) {
        return send(path, "PATCH", "application/strategic-merge-patch+json", json);
    }

    Answer mergePatch(String path, String json) {
        return send(path, "PATCH", "application/merge-patch+json", json);
    }

    Answer jsonPatch(String path, String json) {
        return send(path, "PATCH", "application/json-patch+json", json);
    }

    /** What one manager of fields wants. */
    Answer applyOnServer(String path, String json) {
        return send(path, "PATCH", "application/apply-patch+yaml", json);
    }

    Answer delete(String path) {
        return send(path, "DELETE", "application/json", "");
    }

    /** Looks until the object is as expected. */
    Answer await(String path, Predicate<Answer> expected) {
        return await(() -> get(path), expected);
    }

    /** Asks until the answer is as expected. */
    static Answer await(Supplier<Answer> asked, Predicate<Answer> expected) {
        long begin = System.nanoTime();
        Answer seen = asked.get();
        while (!expected.test(seen)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new AssertionError("after %s: %s".formatted(LIMIT, seen));
            }
            pause();
            seen = asked.get();
        }
        return seen;
    }

    private static void pause() {
        try {
            Thread.sleep(BETWEEN_LOOKS_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Answer send(String path, String method, String type, String body) {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .timeout(LIMIT)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            return new Answer(answer.statusCode(), answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
