package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * When certificates expire, and the finding on them.
 *
 * @param expiry by server ({@code host:port}) or file: the first expiry in its chain
 */
public record CertificateReport(SortedMap<String, QueryResult<Instant>> expiry) {
    private static final Duration FAILING = Duration.ofDays(7);
    private static final Duration SOON = Duration.ofDays(30);
    private static final String CHECK = "certificates";

    public CertificateReport {
        expiry = Collections.unmodifiableSortedMap(new TreeMap<>(expiry));
    }

    /** Returns the finding on the certificate that expires first; empty if no connection uses TLS. */
    public Optional<DoctorFinding> finding(Instant now) {
        SortedMap<Instant, String> byTime = new TreeMap<>();
        SortedMap<String, String> unknown = new TreeMap<>();
        for (Map.Entry<String, QueryResult<Instant>> each : expiry.entrySet()) {
            switch (each.getValue()) {
                case QueryResult.Value<Instant>(Instant end) ->
                    byTime.merge(end, each.getKey(), (one, other) -> one + ", " + other);
                case QueryResult.Failure<Instant>(String why) -> unknown.put(each.getKey(), why);
            }
        }
        if (byTime.isEmpty() || (byTime.firstKey().isAfter(now.plus(SOON)) && !unknown.isEmpty())) {
            return unknown.entrySet().stream()
                    .findFirst()
                    .map(each -> warning(
                            CHECK,
                            "that of %s cannot be read: %s".formatted(each.getKey(), each.getValue()),
                            "check that it runs, and compare with: openssl s_client -connect " + each.getKey()));
        }
        Instant first = byTime.firstKey();
        String seen = "that of %s %s on %s"
                .formatted(
                        byTime.get(first),
                        first.isAfter(now) ? "expires" : "expired",
                        first.atZone(ZoneOffset.UTC).toLocalDate());
        String remedy = "renew it; services read a new certificate without a restart (deploy/SECURITY.md, Rotation)";
        if (first.isBefore(now.plus(FAILING))) {
            return Optional.of(failed(CHECK, seen, remedy));
        }
        return Optional.of(
                first.isBefore(now.plus(SOON))
                        ? warning(CHECK, seen, remedy)
                        : ok(CHECK, "the first of %d: %s".formatted(expiry.size(), seen)));
    }

    /** Returns the finding as a list of at most one. */
    List<DoctorFinding> findings(Instant now) {
        return finding(now).stream().toList();
    }
}
