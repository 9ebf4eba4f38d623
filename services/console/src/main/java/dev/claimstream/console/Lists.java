package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;

/** Lists as they are sent: one JSON object with {@code items}, or, to who asks for them, lines of JSON. In parts, so that none is too long. */
final class Lists {
    /** One JSON value a line. */
    static final String LINES = "application/x-ndjson";

    private static final MediaType LINES_TYPE = MediaType.of(LINES);
    private static final int PART_ITEMS = 256;

    private Lists() {}

    static <T> HttpResponse<Flux<String>> of(
            HttpRequest<?> request, Collection<T> items, Function<T, Tree.Mapping> json) {
        boolean asLines = request.accept().contains(LINES_TYPE);
        String separator = asLines ? "\n" : ",\n";
        Flux<String> parts = Flux.fromIterable(items)
                .map(item -> json.apply(item).json())
                .buffer(PART_ITEMS)
                .index((place, part) -> (place == 0 ? "" : separator) + joined(part, separator));
        return asLines
                ? HttpResponse.<Flux<String>>ok(items.isEmpty() ? parts : parts.concatWithValues("\n"))
                        .contentType(LINES_TYPE)
                : HttpResponse.<Flux<String>>ok(
                                Flux.just("{\"items\":[").concatWith(parts).concatWithValues("]}\n"))
                        .contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    private static String joined(List<String> lines, String separator) {
        return lines.stream().collect(Collectors.joining(separator));
    }
}
