package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lists and watches the objects of an API server.
 *
 * <p>A list comes in pages; of a page only the objects that the reader keeps are in memory. A kind that the server does not serve is an
 * empty list until the server serves it.
 */
final class ApiWatch implements ClusterWatch, AutoCloseable {
    static final int OBJECTS_A_PAGE = 500;
    private static final int SLICES_A_PAGE = 100;
    private static final int LISTS_MAX = 3;

    private final ApiServer server;
    private final Served served;
    private final Untaken untaken = new Untaken();
    private final Silence silence = new Silence();
    private final Set<Kind> notServed = ConcurrentHashMap.newKeySet();
    private final Managed managed;
    private final Map<Kind, Sight> sights;

    /** Managed classes at the time of the last list of device classes. */
    private volatile Set<String> ours = Set.of();

    /** Creates a watch. Each kind has at most one listener, which is called before the caller of {@code list} or {@code watch}. */
    ApiWatch(ApiServer server, Managed managed, Map<Kind, Sight> sights) {
        this.server = server;
        this.managed = managed;
        this.sights = Map.copyOf(sights);
        this.served = new Served(server);
    }

    @Override
    public long list(Kind kind, Listing listing) {
        if (kind == Kind.DEVICE_CLASS) {
            ours = managed.refresh();
        }
        Optional<String> api = api(kind);
        for (int tries = 0; api.isPresent() && tries < LISTS_MAX; tries++) {
            OptionalLong version = list(kind, api.get(), listing);
            if (version.isPresent()) {
                return version.getAsLong();
            }
        }
        if (api.isPresent()) {
            throw new ClusterFault("%s lost the thread of the list of %s %d times"
                    .formatted(server.url(), Paths.plural(kind), LISTS_MAX));
        }
        listing.begin();
        return 0;
    }

    private Optional<String> api(Kind kind) {
        Optional<String> api = served.api(kind);
        if (api.isPresent()) {
            notServed.remove(kind);
        } else if (notServed.add(kind)) {
            untaken.notServed(kind);
        }
        return api;
    }

    /** Lists one kind once; empty if the server answers 410, so that the list has to restart. */
    private OptionalLong list(Kind kind, String api, Listing listing) {
        listing.begin();
        sight(kind).ifPresent(Sight::begin);
        String next = "";
        long version = 0;
        do {
            List<Versioned> objects = new ArrayList<>();
            Optional<Page> page = page(kind, api, next, objects);
            if (page.isEmpty()) {
                return OptionalLong.empty();
            }
            listing.page(objects); // after the page is read completely, so that a slow listener does not block the server
            next = page.get().next();
            version = page.get().version();
        } while (!next.isEmpty());
        return OptionalLong.of(version);
    }

    private Optional<Page> page(Kind kind, String api, String from, List<Versioned> objects) {
        String path = "%s/%s?limit=%d%s"
                .formatted(
                        api,
                        Paths.plural(kind),
                        kind == Kind.RESOURCE_SLICE ? SLICES_A_PAGE : OBJECTS_A_PAGE,
                        from.isEmpty() ? "" : "&continue=" + Paths.encoded(from));
        ApiServer.Stream stream = server.stream(path);
        try (InputStream body = stream.body();
                var _ = silence.watch(() -> close(body))) {
            if (stream.code() == HttpURLConnection.HTTP_GONE) {
                return Optional.empty();
            }
            if (stream.code() != HttpURLConnection.HTTP_OK) {
                throw refused(kind, stream, body);
            }
            String apiVersion = Served.apiVersion(api);
            return Optional.of(Page.read(
                    body,
                    item -> take(kind, item, ApiObjects.read(kind, apiVersion, item))
                            .ifPresent(objects::add)));
        } catch (IOException e) {
            throw new ClusterFault(
                    "the list of %s of %s broke off: %s".formatted(Paths.plural(kind), server.url(), Reason.of(e)), e);
        }
    }

    /**
     * Passes an object to the listener of its kind and returns what the caller gets.
     *
     * <p>An unreadable object is reported and left out. An unreadable allocated claim keeps its devices.
     */
    Optional<Versioned> take(Kind kind, JsonNode json, ApiObjects.Read read) {
        return switch (read) {
            case ApiObjects.Read.Taken(Versioned object) -> {
                sight(kind).ifPresent(sight -> sight.seen(json, object));
                yield Optional.of(shown(object));
            }
            case ApiObjects.Read.NotTaken not -> {
                untaken.tell(kind, not);
                yield not.held();
            }
        };
    }

    Optional<Sight> sight(Kind kind) {
        return Optional.ofNullable(sights.get(kind));
    }

    /** Marks an unmanaged class, so that the cells allocate nothing for its claims. */
    private Versioned shown(Versioned object) {
        return object.object() instanceof DeviceClass found
                        && !managed.includes(found.meta().name())
                ? new Versioned(found.ofOthers(), object.version())
                : object;
    }

    ClusterFault refused(Kind kind, ApiServer.Stream stream, InputStream body) throws IOException {
        int code = stream.code();
        JsonNode status = ApiServer.json(body.readNBytes(1 << 16));
        String message = status.path("message").asText("");
        if (code == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return server.unknown(message);
        }
        String remedy = switch (code) {
            case HttpURLConnection.HTTP_FORBIDDEN ->
                ": allow list and watch of %s in all namespaces".formatted(Paths.plural(kind));
            case HttpURLConnection.HTTP_NOT_FOUND ->
                ": it does not serve %s; Kubernetes 1.34 or newer does".formatted(Paths.api(kind));
            default -> "";
        };
        return new ClusterFault(
                "%s does not list %s: HTTP %d %s%s".formatted(server.url(), Paths.plural(kind), code, message, remedy),
                stream.retryAfter().orElse(Duration.ZERO));
    }

    @Override
    public Subscription watch(Kind kind, long version, Listener listener) {
        Optional<String> api = api(kind);
        Watching watching = new Watching(this, kind, listener);
        watching.start(api, version);
        return watching;
    }

    ApiServer server() {
        return server;
    }

    Served served() {
        return served;
    }

    /** Returns whether device classes have to be relisted, because the set of managed classes has changed. */
    boolean isOutdated(Kind kind) {
        return kind == Kind.DEVICE_CLASS && !managed.refresh().equals(ours);
    }

    Silence silence() {
        return silence;
    }

    static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() {
        silence.close();
    }
}
