package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Reads and sets the fields and annotations of the Lease object of a {@link LogLease}. */
final class LeaseFields {
    private static final String LOCATION_ANNOTATION = "claimstream.dev/where";
    private static final String END_ANNOTATION = "claimstream.dev/log-end";
    private static final String PAUSE_ANNOTATION = "claimstream.dev/writes-paused";
    private static final String HOLDER = "holderIdentity";
    private static final String DURATION_SECONDS = "leaseDurationSeconds";
    private static final String RENEW_TIME = "renewTime";
    private static final String TRANSITIONS = "leaseTransitions";
    private static final String SPEC = "spec";
    private static final String METADATA = "metadata";
    private static final String ANNOTATIONS = "annotations";
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private LeaseFields() {}

    /** Returns a Lease without holder. */
    static ObjectNode empty() {
        ObjectNode lease = ApiHttpClient.JSON.createObjectNode();
        lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        lease.putObject(METADATA).put("namespace", LogLease.NAMESPACE).put("name", LogLease.NAME);
        lease.putObject(SPEC).put(TRANSITIONS, 0);
        return lease;
    }

    /** Returns the time in the form of a Lease. */
    static String time(Instant time) {
        return MICRO_TIME.format(time);
    }

    /** Returns whether the API server has the Lease. */
    static boolean isStored(ObjectNode lease) {
        return lease.path(METADATA).has("resourceVersion");
    }

    /** Returns the holder and the time of its last renewal as one text, which each renewal changes. */
    static String renewal(ObjectNode lease) {
        return lease.path(SPEC).path(HOLDER).asText() + " "
                + lease.path(SPEC).path(RENEW_TIME).asText();
    }

    static LeaseStep.LeaseState state(ObjectNode lease) {
        return new LeaseStep.LeaseState(
                lease.path(SPEC).path(HOLDER).asText(""),
                lease.path(METADATA).path(ANNOTATIONS).path(LOCATION_ANNOTATION).asText("an unknown location"),
                Duration.ofSeconds(lease.path(SPEC)
                        .path(DURATION_SECONDS)
                        .asLong(LogLease.LeaseTiming.DEFAULT.leaseDuration().toSeconds())),
                lease.path(METADATA).path(ANNOTATIONS).path(END_ANNOTATION).asLong(0));
    }

    /** Returns start and reason of the pause of writes; empty without a pause. */
    static String pause(ObjectNode lease) {
        return lease.path(METADATA).path(ANNOTATIONS).path(PAUSE_ANNOTATION).asText("");
    }

    static void countTransition(ObjectNode lease) {
        ObjectNode spec = lease.withObjectProperty(SPEC);
        spec.put(TRANSITIONS, spec.path(TRANSITIONS).asInt() + 1);
    }

    static void setHolder(ObjectNode lease, String log, Instant now) {
        lease.withObjectProperty(SPEC).put(HOLDER, log).put("acquireTime", time(now));
    }

    /** Sets where the log is, and its end. */
    static void setLocation(ObjectNode lease, String location, long logEnd) {
        annotations(lease).put(LOCATION_ANNOTATION, location).put(END_ANNOTATION, Long.toString(logEnd));
    }

    static void setPause(ObjectNode lease, Optional<String> pause) {
        pause.ifPresentOrElse(
                text -> annotations(lease).put(PAUSE_ANNOTATION, text),
                () -> annotations(lease).remove(PAUSE_ANNOTATION));
    }

    static void setRenewal(ObjectNode lease, Instant now, Duration duration) {
        lease.withObjectProperty(SPEC).put(RENEW_TIME, time(now)).put(DURATION_SECONDS, duration.toSeconds());
    }

    /** Sets the lease to expire after this time, with the final end of the log. */
    static void setExpiry(ObjectNode lease, Duration duration, long logEnd) {
        lease.withObjectProperty(SPEC).put(DURATION_SECONDS, duration.toSeconds());
        annotations(lease).put(END_ANNOTATION, Long.toString(logEnd));
    }

    private static ObjectNode annotations(ObjectNode lease) {
        return lease.withObjectProperty(METADATA).withObjectProperty(ANNOTATIONS);
    }
}
