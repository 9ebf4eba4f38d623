package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import java.util.List;

/** What there is, and whether it works. */
@Controller
final class StatusController {
    private static final List<String> PATHS = List.of(
            "GET /api/v1/claims?namespace=&name=&node=&driver=&state=&view=object",
            "GET /api/v1/namespaces/{namespace}/claims/{name}",
            "GET /api/v1/namespaces/{namespace}/claims/{name}/explanation",
            "GET /api/v1/watch/claims?namespace=&name=&fromStart=true",
            "GET /api/v1/devices?name=&node=&driver=&pool=&state=",
            "GET /api/v1/pools?name=&node=&driver=",
            "GET /api/v1/nodes?name=&driver=",
            "POST /api/v1/apply?file=",
            "POST /api/v1/delete?file=",
            "DELETE /api/v1/objects/{kind}/{name}?namespace=",
            "GET /health");

    private final Feed feed;

    StatusController(Feed feed) {
        this.feed = feed;
    }

    @Get("/api/v1")
    HttpResponse<String> index() {
        return json(HttpStatus.OK, Tree.mapping(fields -> fields.put("paths", Tree.texts(PATHS))));
    }

    @Get("/health")
    HttpResponse<String> health() {
        boolean isWell = feed.isAlive() && feed.isCaughtUp();
        return json(
                isWell ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
                Tree.mapping(fields -> fields.put("status", isWell ? "UP" : "DOWN")
                        .put("reader", feed.isAlive() ? feed.isCaughtUp() ? "reads" : "catches up" : "stopped")));
    }

    private static HttpResponse<String> json(HttpStatus status, Tree.Mapping body) {
        return HttpResponse.<String>status(status)
                .contentType(MediaType.APPLICATION_JSON_TYPE)
                .body(body.indentedJson());
    }
}
