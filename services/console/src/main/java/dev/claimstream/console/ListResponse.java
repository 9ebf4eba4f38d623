package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.Collection;
import java.util.function.Function;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;

/**
 * Renders list responses: one JSON object with {@code items}, or one object per line.
 * Lines are sent for {@code Accept: application/x-ndjson}, in chunks, and have no limit.
 */
final class ListResponse {
    /** One JSON value per line. */
    static final String LINES = "application/x-ndjson";

    private static final MediaType LINES_TYPE = MediaType.of(LINES);
    private static final int PART_ITEMS = 256;

    private ListResponse() {}

    static <T> MutableHttpResponse<?> of(HttpRequest<?> request, Collection<T> items, Function<T, Tree.Mapping> json) {
        if (request.accept().contains(LINES_TYPE)) {
            Flux<String> parts = Flux.fromIterable(items)
                    .map(item -> json.apply(item).json() + "\n")
                    .buffer(PART_ITEMS)
                    .map(part -> String.join("", part));
            return HttpResponse.ok(parts).contentType(LINES_TYPE);
        }
        String all = items.stream().map(item -> json.apply(item).json()).collect(Collectors.joining(",\n"));
        return HttpResponse.ok("{\"items\":[" + all + "]}\n").contentType(MediaType.APPLICATION_JSON_TYPE);
    }
}
