package dev.claimstream.console;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.nio.charset.StandardCharsets;

/**
 * Serves the console page. A browser asks for the document each time, and keeps the other files, whose addresses change with their
 * content. The page loads nothing from other hosts, and runs no script of a document.
 */
@CommonResponses
@Controller
final class PageController {
    private static final String SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
                    + " require-trusted-types-for 'script'; trusted-types 'none'";

    private final PageAssets assets = PageAssets.shipped();

    @ApiResponse(
            responseCode = "200",
            description = "The page.",
            content = @Content(mediaType = MediaType.TEXT_HTML, schema = @Schema(ref = "#/components/schemas/Text")))
    @ApiResponse(responseCode = "304", description = "The page has not changed.")
    @Get("/")
    @Produces(MediaType.TEXT_HTML)
    MutableHttpResponse<?> index(HttpRequest<?> request) {
        if (LoopbackFilter.isBareRoot(request)) {
            return LoopbackFilter.wrongNumberOfHosts(0);
        }
        String tag = "\"" + assets.version() + "\"";
        boolean isKnown = request.getHeaders()
                .findFirst(HttpHeaders.IF_NONE_MATCH)
                .filter(tag::equals)
                .isPresent();
        MutableHttpResponse<String> response = isKnown
                ? HttpResponse.notModified()
                : HttpResponse.ok(new String(assets.index(), StandardCharsets.UTF_8));
        return withPolicy(response)
                .contentType(MediaType.of("text/html; charset=utf-8"))
                .header(HttpHeaders.ETAG, tag)
                .header(HttpHeaders.CACHE_CONTROL, "no-cache");
    }

    @ApiResponse(
            responseCode = "200",
            description = "A file of the page.",
            content = @Content(mediaType = MediaType.ALL, schema = @Schema(ref = "#/components/schemas/Text")))
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/page/{version}/{name}")
    @Produces(MediaType.ALL)
    MutableHttpResponse<?> file(@PathVariable String version, @PathVariable String name) {
        byte[] content = assets.find(version, name)
                .orElseThrow(() -> new RejectedRequestException(
                        HttpStatus.NOT_FOUND,
                        "there is no file %s of version %s of the page".formatted(name, version),
                        "path",
                        "load the page again: the console has another version"));
        return withPolicy(HttpResponse.ok(new String(content, StandardCharsets.UTF_8)))
                .contentType(MediaType.of(type(name) + "; charset=utf-8"))
                .header(HttpHeaders.CACHE_CONTROL, "public, max-age=31536000, immutable");
    }

    private static String type(String name) {
        return name.endsWith(".js") ? "text/javascript" : name.endsWith(".css") ? "text/css" : "image/svg+xml";
    }

    private static <T> MutableHttpResponse<T> withPolicy(MutableHttpResponse<T> response) {
        return response.header("Content-Security-Policy", SECURITY_POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .header("Referrer-Policy", "no-referrer")
                .header("Cross-Origin-Opener-Policy", "same-origin")
                .header("Cross-Origin-Resource-Policy", "same-origin");
    }
}
