package dev.claimstream.cli;

import dev.claimstream.kafka.TopicsException;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
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
final class Questions {
    static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private Questions() {}

    /**
     * Returns the missing topics.
     *
     * @param missing lookup, whose {@link TopicsException} becomes a {@link Asked.Silent}
     */
    static Asked<List<String>> topics(Supplier<List<String>> missing) {
        try {
            return new Asked.Answered<>(missing.get());
        } catch (TopicsException e) {
            return new Asked.Silent<>(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the subjects of a schema registry. */
    static Asked<List<String>> subjects(URI registry) {
        return ask(
                registry,
                "/subjects",
                List.of(HttpURLConnection.HTTP_OK),
                tree -> tree instanceof Tree.Sequence list
                        ? new Asked.Answered<>(list.items().stream()
                                .map(each -> each instanceof Tree.Text(String name) ? name : each.json())
                                .toList())
                        : new Asked.Silent<>(registry + " does not speak as a schema registry"));
    }

    /** Returns the component health of a service. */
    static Asked<Parts> health(URI service) {
        return ask(service, "/health", List.of(HttpURLConnection.HTTP_OK, HttpURLConnection.HTTP_UNAVAILABLE), tree -> {
            Parts parts = Parts.of(new Item(tree));
            return parts.all().isEmpty()
                    ? new Asked.Silent<>(service + " does not speak as a service of Claimstream")
                    : new Asked.Answered<>(parts);
        });
    }

    private static <T> Asked<T> ask(URI address, String path, List<Integer> sound, Function<Tree, Asked<T>> answer) {
        try {
            var connection =
                    (HttpURLConnection) URI.create(address + path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout((int) ANSWER_WITHIN.toMillis());
            connection.setReadTimeout((int) ANSWER_WITHIN.toMillis());
            int status = connection.getResponseCode();
            if (!sound.contains(status)) {
                return new Asked.Silent<>("%s answers %d to %s".formatted(address, status, path));
            }
            boolean isGood = status < HttpURLConnection.HTTP_BAD_REQUEST;
            try (InputStream in = isGood ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return answer.apply(TreeReader.json(text));
            }
        } catch (IOException | IllegalArgumentException e) {
            return new Asked.Silent<>("%s does not answer: %s".formatted(address, e.getMessage()));
        }
    }
}
