package dev.claimstream.console;

import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.VisibleObjects;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.context.ServerRequestContext;
import java.util.Optional;
import java.util.Set;

/**
 * The caller of the current request, and what the caller sees. {@link AccessFilter} sets both before a controller runs.
 * Without the filter every caller is on loopback. Threads of the console that answer no request see everything.
 */
final class RequestAccess {
    /** Sees nothing: the caller of a route that needs no token. */
    static final VisibleObjects NOTHING = new VisibleObjects(false, Set.of(), false, false);

    private static final String CALLER = "access-caller";
    private static final String VISIBLE = "access-visible";

    private RequestAccess() {}

    static void set(HttpRequest<?> request, Caller caller, VisibleObjects visible) {
        request.setAttribute(CALLER, caller);
        request.setAttribute(VISIBLE, visible);
    }

    static Caller caller(HttpRequest<?> request) {
        return request.getAttribute(CALLER, Caller.class).orElse(Caller.local());
    }

    /** Returns what the caller of a request sees. */
    static VisibleObjects visible(HttpRequest<?> request) {
        return request.getAttribute(VISIBLE, VisibleObjects.class).orElse(VisibleObjects.EVERYTHING);
    }

    /** Returns what the caller of the current request sees; everything on a thread without a request. */
    static VisibleObjects visible() {
        Optional<HttpRequest<Object>> request = ServerRequestContext.currentRequest();
        return request.map(RequestAccess::visible).orElse(VisibleObjects.EVERYTHING);
    }
}
