package dev.claimstream.console;

import dev.claimstream.kubernetes.access.Caller;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.sse.Event;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.scheduler.Schedulers;

/** Serves the rows of the console page as server-sent events. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class LiveController {
    /** Events that wait for a slow client. The stream then ends, and the client starts again with a snapshot. */
    private static final int BUFFER_MAX = 1000;

    private final LiveFeed feed;

    LiveController(LiveFeed feed) {
        this.feed = feed;
    }

    /** Returns what the streams of a client are counted by: the user, or the address on loopback. */
    static String client(HttpRequest<?> request) {
        Caller caller = RequestAccess.caller(request);
        return caller.isLocal() ? request.getRemoteAddress().getAddress().getHostAddress() : caller.name();
    }

    @ApiResponse(
            responseCode = "200",
            description = "A stream of events: snapshot (LiveSnapshot), change (LiveChange), status (LiveStatus).",
            content =
                    @Content(
                            mediaType = MediaType.TEXT_EVENT_STREAM,
                            schema = @Schema(ref = "#/components/schemas/Text")))
    @ApiResponse(responseCode = "429", ref = "#/components/responses/TooManyStreams")
    @Get("/live")
    @Produces(MediaType.TEXT_EVENT_STREAM)
    HttpResponse<Flux<Event<String>>> live(HttpRequest<?> request) {
        LiveFeed.LiveStream stream = feed.open(client(request), RequestAccess.visible(request));
        Flux<Event<String>> events = Flux.<Event<String>>create(
                        sink -> {
                            sink.onDispose(stream::close);
                            stream.start(
                                    (name, data) -> sink.next(Event.of(data).name(name)));
                        },
                        FluxSink.OverflowStrategy.IGNORE)
                .onBackpressureBuffer(BUFFER_MAX)
                .subscribeOn(Schedulers.boundedElastic());
        return HttpResponse.<Flux<Event<String>>>ok(events)
                .contentType(MediaType.TEXT_EVENT_STREAM_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
    }
}
