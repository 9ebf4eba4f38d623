package dev.claimstream.cli;

import dev.claimstream.cli.console.ServiceConnection;
import dev.claimstream.cli.console.ServiceConnection.ServiceRequest;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.input.RawManifestFiles.RawManifest;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.simulation.SimulationRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** HTTP client of a simulator service. Errors are {@link RunFailure}s with a remedy. */
final class SimulatorClient {
    private static final String FITS = "Claimstream-Fits";
    private static final byte[] BETWEEN = "\n---\n".getBytes(StandardCharsets.UTF_8);

    private final URI service;
    private final ServiceConnection connection;

    SimulatorClient(URI service) {
        this(service, ServiceConnection.withUsualToken(service));
    }

    SimulatorClient(URI service, ServiceConnection connection) {
        this.service = service;
        this.connection = connection;
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
            HttpURLConnection answer = connection.send(new ServiceRequest(
                    "POST",
                    "/api/v1/simulate" + query(request),
                    isJson ? "application/json" : "text/plain",
                    "application/yaml",
                    Optional.of(body(manifests)),
                    ServiceConnection.RESPONSE_TIMEOUT));
            if (answer.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw rejected(answer);
            }
            String fits = answer.getHeaderField(FITS);
            if (fits == null) {
                throw notSimulator();
            }
            try (InputStream in = answer.getInputStream()) {
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

    /** Returns the manifests as documents; an empty one if there are none, because a console requires a body. */
    private static byte[] body(List<RawManifest> manifests) {
        if (manifests.isEmpty()) {
            return BETWEEN.clone();
        }
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
