import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A client of the API server with the user of a kubeconfig. It retries, because the server is killed and frozen
 * meanwhile.
 */
final class Api {
    static final String YAML = "application/yaml";
    static final String MERGE = "application/merge-patch+json";

    private static final Duration SUCCESS_WITHIN = Duration.ofMinutes(3);
    private static final Duration RESPONSE_WITHIN = Duration.ofSeconds(10);
    private static final int PAUSE_MS = 200;

    private final HttpClient client;
    private final URI server;
    private final String token;

    /** A response of the server. */
    record Answer(int status, String body) {
        boolean isSuccess() {
            return status / 100 == 2;
        }

        boolean isMissing() {
            return status == 404;
        }

        boolean isConflict() {
            return status == 409;
        }
    }

    Api(Path kubeconfig) throws IOException {
        String config = Files.readString(kubeconfig);
        server = URI.create(field(config, "server: \"([^\"]*)\""));
        token = field(config, "token: (\\w+)");
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1) // a frozen stream must not block others
                .connectTimeout(Duration.ofSeconds(2))
                .sslContext(tlsContext(
                        Base64.getDecoder().decode(field(config, "certificate-authority-data: ([\\w+/=]+)"))))
                .build();
    }

    private static String field(String text, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        if (!found.find()) {
            throw new IllegalStateException("no %s in the kubeconfig".formatted(pattern));
        }
        return found.group(1);
    }

    private static SSLContext tlsContext(byte[] authority) throws IOException {
        try {
            KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
            known.load(null, null);
            known.setCertificateEntry(
                    "server",
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(authority)));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(known);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the certificate of the API server cannot be used", e);
        }
    }

    /** Creates an object, or returns the existing one: an earlier request may have succeeded. */
    Answer create(String path, String manifest) throws InterruptedException {
        return send("POST", path, YAML, manifest);
    }

    Answer get(String path) throws InterruptedException {
        return send("GET", path, YAML, "");
    }

    Answer patch(String path, String json) throws InterruptedException {
        return send("PATCH", path, MERGE, json);
    }

    Answer delete(String path, boolean isForced) throws InterruptedException {
        return send(
                "DELETE",
                path,
                YAML,
                isForced ? "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0}" : "");
    }

    /** Sends a request and retries errors; throws after {@code SUCCESS_WITHIN}. */
    Answer send(String method, String path, String type, String body) throws InterruptedException {
        long end = System.nanoTime() + SUCCESS_WITHIN.toNanos();
        while (true) {
            String cause;
            try {
                HttpResponse<String> response = client.send(
                        request(path)
                                .timeout(RESPONSE_WITHIN)
                                .header("Content-Type", type)
                                .method(method, BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString());
                var answer = new Answer(response.statusCode(), response.body());
                if (answer.isSuccess() || answer.isConflict() || answer.isMissing() && !method.equals("POST")) {
                    return answer;
                }
                cause = answer.toString();
            } catch (IOException e) {
                cause = e.toString();
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no success of %s %s at the API server within %s: %s"
                        .formatted(method, path, SUCCESS_WITHIN, cause));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /** The changes after a version as lines of JSON, until the server ends the watch; empty after 410 Gone. */
    Stream<String> changes(String path, String version) throws IOException, InterruptedException {
        HttpResponse<Stream<String>> response = client.send(
                request(path + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version)
                        .build(),
                BodyHandlers.ofLines());
        if (response.statusCode() / 100 != 2) {
            response.body().close();
            return Stream.of();
        }
        return response.body();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path))
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json");
    }
}
