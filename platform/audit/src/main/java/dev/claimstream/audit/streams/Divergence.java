package dev.claimstream.audit.streams;

import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The first input whose events differ between ledger and replay.
 *
 * @param cell number of the cell; the router has the number after the last cell
 * @param topic topic of the input
 * @param inputText the input in a few words
 * @param input content of the input, as JSON; empty if the log does not have the input
 * @param cause a missing input or a broken hash chain; empty if the events differ in their content alone
 * @param recorded one line per event of the ledger
 * @param replayed one line per event of the replay
 * @param state the state before the input: one line for the cell, and lines for the claims, nodes and devices that the events
 *     name; at most 14
 */
public record Divergence(
        int cell,
        String topic,
        long offset,
        Instant at,
        String inputText,
        Optional<String> input,
        Optional<String> cause,
        List<String> recorded,
        List<String> replayed,
        List<String> state) {
    public Divergence {
        recorded = List.copyOf(recorded);
        replayed = List.copyOf(replayed);
        state = List.copyOf(state);
    }

    /** Returns the position of the input as text: {@code cell 0, input 412 of cells.in}. */
    public String location() {
        return "%s, input %d of %s".formatted(LogReplay.name(topic, cell), offset, topic);
    }

    /** Describes an event in one line: its name, the claim, and the devices, the reason or the hash. */
    static String text(LedgerEvent event) {
        return event.getDecision()
                .map(decision -> "%s claim %s/%s (decision %d): %s"
                        .formatted(
                                event.getEvent(),
                                decision.getNamespace(),
                                decision.getName(),
                                decision.getNumber(),
                                detail(decision)))
                .or(() -> event.getAlarm().map(alarm -> "%s %s".formatted(event.getEvent(), alarm)))
                .or(() -> event.getStateHash().map(hash -> "%s, state hash %s".formatted(event.getEvent(), hex(hash))))
                .orElseGet(event::getEvent);
    }

    private static String detail(DecisionRecord decision) {
        return decision.getAllocated()
                .map(Divergence::devices)
                .or(() -> decision.getPending()
                        .map(pending -> "%s: %s".formatted(pending.getReason(), pending.getMessage())))
                .or(() -> decision.getRevoked().map(revoked -> devices(revoked.getAllocated())))
                .orElse("-");
    }

    private static String devices(AllocatedDecision allocated) {
        return "node %s, %s"
                .formatted(
                        allocated.getNode(),
                        allocated.getAllocation().getResults().stream()
                                .map(device -> "%s/%s/%s"
                                        .formatted(
                                                device.getDevice().getDriver(),
                                                device.getDevice().getPool(),
                                                device.getDevice().getDevice()))
                                .collect(Collectors.joining(", ")));
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
