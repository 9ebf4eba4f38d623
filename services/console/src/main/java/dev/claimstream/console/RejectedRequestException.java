package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;

/** A rejected request: status, message, location and remedy. */
final class RejectedRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final HttpStatus status;
    private final String where;
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param where parameter, header or path with the error
     */
    RejectedRequestException(HttpStatus status, String message, String where, String remedy) {
        super(message, null, false, false);
        this.status = status;
        this.where = where;
        this.remedy = remedy;
    }

    MutableHttpResponse<String> response() {
        return response(status, String.valueOf(getMessage()), where, remedy);
    }

    static MutableHttpResponse<String> response(HttpStatus status, String message, String where, String remedy) {
        Tree.Mapping body = Tree.mapping(fields ->
                fields.put("error", message).putUnlessEmpty("where", where).putUnlessEmpty("remedy", remedy));
        return HttpResponse.<String>status(status)
                .contentType(MediaType.APPLICATION_JSON_TYPE)
                .body(body.json() + "\n");
    }
}
