package dev.claimstream.cli.doctor;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.security.RegistryLogin;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.process.Connections;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Queries of {@code doctor} to broker, registry and services. */
final class ServiceQueries {
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

    private ServiceQueries() {}

    /**
     * Returns the result of requests to Kafka.
     *
     * @param requests whose {@link TopicsException} becomes a {@link QueryResult.Failure}
     */
    static <T> QueryResult<T> kafka(Supplier<T> requests) {
        try {
            return new QueryResult.Value<>(requests.get());
        } catch (TopicsException e) {
            return new QueryResult.Failure<>(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the result of requests to the schema registry.
     *
     * @param requests whose {@link RegistryException} becomes a {@link QueryResult.Failure}
     */
    static <T> QueryResult<T> registry(Supplier<T> requests) {
        try {
            return new QueryResult.Value<>(requests.get());
        } catch (RegistryException e) {
            return new QueryResult.Failure<>(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the subjects of a schema registry that may require TLS and credentials. */
    static QueryResult<List<String>> subjects(RestRegistry.RegistrySettings settings, Connections connections) {
        if (settings.login() instanceof RegistryLogin.Anonymous && settings.ca().isEmpty()) {
            return subjects(settings.url());
        }
        try (var registry = new RestRegistry(settings.within(RESPONSE_TIMEOUT))) {
            return connections
                    .problem(registry, settings.url())
                    .<QueryResult<List<String>>>map(QueryResult.Failure::new)
                    .orElseGet(() -> registry(registry::subjects));
        }
    }

    /** Returns the subjects of a schema registry. */
    static QueryResult<List<String>> subjects(URI registry) {
        return query(
                registry,
                "/subjects",
                List.of(HttpURLConnection.HTTP_OK),
                tree -> tree instanceof Tree.Sequence list
                        ? new QueryResult.Value<>(list.items().stream()
                                .map(each -> each instanceof Tree.Text(String name) ? name : each.json())
                                .toList())
                        : new QueryResult.Failure<>(registry + " is not a schema registry"));
    }

    static QueryResult<ComponentStatuses> health(URI service) {
        return query(
                service, "/health", List.of(HttpURLConnection.HTTP_OK, HttpURLConnection.HTTP_UNAVAILABLE), tree -> {
                    ComponentStatuses parts = ComponentStatuses.of(new JsonObject(tree));
                    return parts.all().isEmpty()
                            ? new QueryResult.Failure<>(service + " is not a service of Claimstream")
                            : new QueryResult.Value<>(parts);
                });
    }

    private static <T> QueryResult<T> query(
            URI address, String path, List<Integer> sound, Function<Tree, QueryResult<T>> answer) {
        try {
            var connection =
                    (HttpURLConnection) URI.create(address + path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout((int) RESPONSE_TIMEOUT.toMillis());
            connection.setReadTimeout((int) RESPONSE_TIMEOUT.toMillis());
            int status = connection.getResponseCode();
            if (!sound.contains(status)) {
                return new QueryResult.Failure<>("%s answers %d to %s".formatted(address, status, path));
            }
            boolean isGood = status < HttpURLConnection.HTTP_BAD_REQUEST;
            try (InputStream in = isGood ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return answer.apply(TreeReader.json(text));
            }
        } catch (IOException | IllegalArgumentException e) {
            return new QueryResult.Failure<>("%s does not respond: %s".formatted(address, e.getMessage()));
        }
    }
}
