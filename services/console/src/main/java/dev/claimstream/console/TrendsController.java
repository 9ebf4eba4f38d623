package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;

/** Serves the samples of the last hour, one per minute, the oldest first. */
@Controller("/api/v1/trends")
final class TrendsController {
    private final RecentTrends trends;

    TrendsController(RecentTrends trends) {
        this.trends = trends;
    }

    /** Returns the number of pending claims by reason. */
    @Get("/reasons")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> reasons(HttpRequest<?> request, @QueryValue(defaultValue = "") String namespace) {
        return ListResponse.of(
                request,
                trends.reasons(),
                sample -> Tree.mapping(fields -> {
                    fields.put("at", sample.at().toString());
                    fields.put(
                            "counts",
                            Tree.mapping(counts ->
                                    RecentTrends.byReason(sample, namespace).forEach(counts::put)));
                }));
    }

    /** Returns the telemetry of a device. */
    @Get("/telemetry")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> telemetry(
            HttpRequest<?> request, @QueryValue String driver, @QueryValue String pool, @QueryValue String device) {
        return ListResponse.of(
                request,
                trends.telemetry(new DeviceId(driver, pool, device)),
                point -> Tree.mapping(fields -> {
                    fields.put("at", point.at().toString());
                    point.utilizationPercent().ifPresent(value -> fields.put("utilizationPercent", number(value)));
                    point.memoryPercent().ifPresent(value -> fields.put("memoryPercent", number(value)));
                    point.watts().ifPresent(value -> fields.put("powerWatts", value));
                }));
    }

    private static Tree number(double value) {
        return new Tree.Numeral(Double.toString(value));
    }
}
