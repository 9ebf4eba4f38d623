package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.util.regex.Pattern;

/** Counts the responses 409 of an API server to changes of claims, of any client, from its meters. */
final class ConflictCounter {
    private static final Pattern CONFLICTS = Pattern.compile(
            "^apiserver_request_total\\{code=\"409\",.*resource=\"resourceclaims\".*} ([0-9.e+]+)$", Pattern.MULTILINE);

    private final ControlPlane plane;
    private long before;

    ConflictCounter(ControlPlane plane) {
        this.plane = plane;
    }

    /** Returns the number of responses since the last call. An API server that was restarted counts from zero. */
    long next() {
        long total = total(plane.kubectl(ControlPlaneUser.ADMIN, "", "get", "--raw", "/metrics"));
        long added = total < before ? total : total - before;
        before = total;
        return added;
    }

    /** Returns the sum of the meters in Prometheus text. */
    static long total(String meters) {
        return Math.round(CONFLICTS
                .matcher(meters)
                .results()
                .mapToDouble(each -> Double.parseDouble(each.group(1)))
                .sum());
    }
}
