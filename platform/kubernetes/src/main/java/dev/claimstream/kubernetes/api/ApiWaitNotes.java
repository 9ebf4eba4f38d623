package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.WaitNotes;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes notes as Events ({@code events.k8s.io/v1}), one after the other and beside everything else: what does not fit into the line,
 * or is not taken, is lost. The name of an event comes from its note, so that one that is told again is the same.
 */
final class ApiWaitNotes implements WaitNotes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiWaitNotes.class);
    private static final int WAITING_MAX = 1000;
    private static final int NOTE_BYTES_MAX = 1024;
    private static final long PAUSE_MS = 1000;
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ApiServer server;
    private final Managed managed;
    private final InstantSource clock;
    private final LinkedBlockingQueue<Note> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
    private final Thread thread =
            Thread.ofPlatform().daemon().name("wait-notes").unstarted(this::run);
    private volatile boolean closed;

    ApiWaitNotes(ApiServer server, Managed managed, InstantSource clock) {
        this.server = server;
        this.managed = managed;
        this.clock = clock;
        thread.start();
    }

    @Override
    public void tell(Note note) {
        while (!waiting.offer(note)) {
            waiting.poll(); // the newest says more
        }
    }

    private void run() {
        try {
            while (!closed) {
                Optional<Note> note = Optional.ofNullable(waiting.poll(PAUSE_MS, TimeUnit.MILLISECONDS));
                if (note.isPresent()) {
                    write(note.get());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Note note) {
        try {
            Optional<ResourceClaim> claim = note.claim().flatMap(this::claim);
            Optional<String> uid = isOurs(note, claim) ? uid(note, claim) : Optional.empty();
            if (uid.isEmpty()) {
                return; // nobody waits any more, or not for us
            }
            String namespace = note.key().namespace();
            Reply reply = server.post(
                    Paths.events(namespace) + "?fieldManager=" + ApiClaimStatus.FIELD_MANAGER,
                    body(note, uid.get(), claim, clock.instant()).toString());
            boolean isKnown = reply.code() == HttpURLConnection.HTTP_CONFLICT;
            if (!reply.isGood() && !isKnown) {
                LOG.atWarn().addKeyValue("why", reply.message()).log("an event was not taken");
            }
        } catch (ClusterFault e) {
            LOG.atDebug().setCause(e).log("an event was not written");
        }
    }

    /** What waits for others is theirs to tell; a pod that has a claim of ours is our business whichever of them it waits for. */
    private boolean isOurs(Note note, Optional<ResourceClaim> claim) {
        return claim.filter(this::isOurs).isPresent()
                || (note.about() == About.POD
                        && claims(note.key())
                                .flatMap(each -> claim(each).stream())
                                .anyMatch(this::isOurs));
    }

    private Stream<ObjectKey> claims(ObjectKey pod) {
        Reply reply = server.get(Paths.pod(pod));
        return reply.isGood()
                        && ApiObjects.read(Kind.POD, "v1", reply.body()) instanceof ApiObjects.Read.Taken(var found)
                ? ((Pod) found.object())
                        .resourceClaims().stream()
                                .map(PodClaim::source)
                                .flatMap(source -> switch (source) {
                                    case PodClaim.Source.Named(String claim) -> Stream.of(claim);
                                    case PodClaim.Source.Made(String _, String claim) -> Stream.of(claim);
                                    case PodClaim.Source.FromTemplate _, PodClaim.Source.NotNeeded _ ->
                                        Stream.<String>empty();
                                })
                                .map(claim -> new ObjectKey(pod.namespace(), claim))
                : Stream.empty();
    }

    private boolean isOurs(ResourceClaim claim) {
        return managed.includes(claim.spec());
    }

    private Optional<ResourceClaim> claim(ObjectKey key) {
        Reply reply = server.get(Paths.claim(key));
        return reply.isGood()
                        && ApiObjects.read(
                                        Kind.RESOURCE_CLAIM,
                                        Served.apiVersion(Paths.api(Kind.RESOURCE_CLAIM)),
                                        reply.body())
                                instanceof ApiObjects.Read.Taken(var found)
                ? Optional.of((ResourceClaim) found.object())
                : Optional.empty();
    }

    /** An event is shown with its object where it names the uid. */
    private Optional<String> uid(Note note, Optional<ResourceClaim> claim) {
        if (note.about() == About.CLAIM) {
            return claim.map(each -> each.meta().uid());
        }
        Reply reply = server.get(Paths.pod(note.key()));
        return Optional.of(reply.body().path("metadata").path("uid").asText())
                .filter(uid -> reply.isGood() && !uid.isEmpty());
    }

    static ObjectNode body(Note note, String uid, Optional<ResourceClaim> claim, Instant now) {
        ObjectNode event = ApiServer.JSON.createObjectNode();
        event.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
        String id = UUID.nameUUIDFromBytes(note.id().getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 13);
        event.putObject("metadata")
                .put("name", note.key().name() + "." + id)
                .put("namespace", note.key().namespace());
        event.put("eventTime", MICROS.format(now));
        event.put("reportingController", "claimstream.dev/writer");
        event.put("reportingInstance", "claimstream-writer");
        event.put("action", "Allocate");
        event.put("type", "Warning");
        event.put("reason", note.reason());
        boolean isPod = note.about() == About.POD;
        event.putObject("regarding")
                .put("apiVersion", isPod ? "v1" : "resource.k8s.io/v1")
                .put("kind", isPod ? "Pod" : "ResourceClaim")
                .put("namespace", note.key().namespace())
                .put("name", note.key().name())
                .put("uid", uid);
        claim.filter(_ -> isPod)
                .ifPresent(each -> event.putObject("related")
                        .put("apiVersion", "resource.k8s.io/v1")
                        .put("kind", "ResourceClaim")
                        .put("namespace", each.meta().namespace())
                        .put("name", each.meta().name())
                        .put("uid", each.meta().uid()));
        return event.put("note", cut(note.message()));
    }

    private static String cut(String text) {
        String shorter = text;
        while (shorter.getBytes(StandardCharsets.UTF_8).length > NOTE_BYTES_MAX) {
            shorter = shorter.substring(0, Math.min(shorter.length() - 1, NOTE_BYTES_MAX));
        }
        return shorter;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
