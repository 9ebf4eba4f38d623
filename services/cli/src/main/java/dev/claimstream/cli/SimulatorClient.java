package dev.claimstream.cli;

import dev.claimstream.cli.console.ServiceToken;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.input.RawManifestFiles.RawManifest;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.simulation.SimulationRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** HTTP client of a simulator service. Errors are {@link RunFailure}s with a remedy. */
final class SimulatorClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(2);
    private static final String FITS = "Claimstream-Fits";
    private static final byte[] BETWEEN = "\n---\n".getBytes(StandardCharsets.UTF_8);

    private final URI service;
    private final Function<URI, String> tokens;

    /** Token of the kubeconfig; empty as long as the service asks for none. */
    private Optional<String> token = Optional.empty();

    SimulatorClient(URI service) {
        this(service, each -> ServiceToken.of(each, Optional.empty()));
    }

    /** @param tokens returns the token for a service that asks for one */
    SimulatorClient(URI service, Function<URI, String> tokens) {
        this.service = service;
        this.tokens = tokens;
    }

    /**
     * The answer of the service.
     *
     * @param text as the service rendered it
     * @param fits whether everything would be allocated
     */
    record SimulatorAnswer(String text, boolean fits) {}

    /**
     * Simulates a request.
     *
     * @param manifests the objects of the request, instead of those in {@code request}
     * @throws RunFailure if the service does not respond or rejects the request
     */
    SimulatorAnswer simulate(SimulationRequest request, List<RawManifest> manifests, boolean isJson) {
        try {
            var connection = (HttpURLConnection) URI.create(service + "/api/v1/simulate" + query(request))
                    .toURL()
                    .openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
            connection.setReadTimeout((int) RESPONSE_TIMEOUT.toMillis());
            connection.setRequestProperty("Accept", isJson ? "application/json" : "text/plain");
            token.ifPresent(each -> connection.setRequestProperty("Authorization", "Bearer " + each));
            connection.setRequestMethod("POST");
            connection.setDoOutput(true);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body(manifests));
            }
            if (connection.getResponseCode() == HttpURLConnection.HTTP_UNAUTHORIZED && token.isEmpty()) {
                token = Optional.of(tokens.apply(service));
                return simulate(request, manifests, isJson);
            }
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw rejected(connection);
            }
            String fits = connection.getHeaderField(FITS);
            if (fits == null) {
                throw notSimulator();
            }
            try (InputStream in = connection.getInputStream()) {
                return new SimulatorAnswer(
                        new String(in.readAllBytes(), StandardCharsets.UTF_8), Boolean.parseBoolean(fits));
            }
        } catch (IOException e) {
            throw new RunFailure(
                    "%s does not respond, %s: check that the simulator runs there, or name another address with --simulator"
                            .formatted(
                                    service,
                                    e instanceof UnknownHostException ? "unknown host" : FolderChecks.reason(e)));
        }
    }

    private static String query(SimulationRequest request) {
        List<String> parameters = new ArrayList<>();
        request.addedNodes().forEach((shape, count) -> parameters.add("addNodes=" + encoded(shape + "=" + count)));
        request.drainedNodes().forEach(node -> parameters.add("drain=" + encoded(node)));
        request.policy().ifPresent(policy -> parameters.add("policy=" + encoded(policy.text())));
        return Stream.concat(parameters.stream(), request.shapes() ? Stream.of("shapes=true") : Stream.empty())
                .collect(Collectors.joining("&", "?", ""));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static byte[] body(List<RawManifest> manifests) {
        var bytes = new ByteArrayOutputStream();
        manifests.forEach(each -> {
            bytes.writeBytes(each.bytes());
            bytes.writeBytes(BETWEEN);
        });
        return bytes.toByteArray();
    }

    private RunFailure rejected(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getErrorStream()) {
            String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            var error = new JsonObject(TreeReader.json(text));
            return error.find("error")
                    .map(message -> new RunFailure(
                            message + error.find("remedy").map(": "::concat).orElse("")))
                    .orElseGet(this::notSimulator);
        } catch (IllegalArgumentException e) {
            return notSimulator();
        }
    }

    private RunFailure notSimulator() {
        return new RunFailure(
                "%s is not a simulator of Claimstream: check which program listens there, or name another address with --simulator"
                        .formatted(service));
    }
}
