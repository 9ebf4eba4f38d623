package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Records of {@code cells.in} as inputs of a cell. */
public final class Inputs {
    private Inputs() {}

    /**
     * The input that a record stands for; nothing where a newer sender wrote something that we do not know.
     *
     * @throws IllegalArgumentException where a value breaks a rule, naming it
     */
    public static Optional<Input> from(long offset, dev.claimstream.schemas.CellInput record) {
        return observation(record).map(what -> new Input(offset, record.getAt(), what));
    }

    private static Optional<Observation> observation(dev.claimstream.schemas.CellInput record) {
        int partition = record.getOrigin()
                .map(dev.claimstream.schemas.Origin::getPartition)
                .orElse(0);
        int partitions = record.getOrigin()
                .map(dev.claimstream.schemas.Origin::getPartitions)
                .orElse(1);
        return record.getInventory()
                .flatMap(each -> inventory(each, partition, partitions))
                .or(() -> record.getClaims().flatMap(each -> claims(each, partition, partitions)))
                .or(() -> record.getSettings().map(each -> new Observation.Configured(SettingsWire.from(each))));
    }

    private static Optional<Observation> inventory(
            dev.claimstream.schemas.InventoryRecord record, int partition, int partitions) {
        var stamp = new Stamp(record.getSource(), record.getEpoch(), record.getVersion());
        List<Optional<? extends ClusterObject>> objects = List.of(
                record.getSlice().map(InventoryWire::from),
                record.getDeviceClass().map(InventoryWire::from),
                record.getTaintRule().map(InventoryWire::from),
                record.getNode().map(InventoryWire::from),
                record.getNamespace().map(InventoryWire::from));
        return seen(stamp, objects)
                .or(() -> record.getWithdrawn().map(each -> gone(stamp, each)))
                .or(() ->
                        record.getLiveness().map(each -> new Observation.Heard(stamp, each.getNode(), isSilent(each))))
                .or(() ->
                        marker(stamp, record.getListed(), record.getStale(), record.getProbe(), partition, partitions));
    }

    private static Optional<Observation> claims(
            dev.claimstream.schemas.ClaimsRecord record, int partition, int partitions) {
        var stamp = new Stamp(record.getSource(), record.getEpoch(), record.getVersion());
        List<Optional<? extends ClusterObject>> objects = List.of(
                record.getClaim().map(ClaimWire::from),
                record.getTemplate().map(ClaimWire::from),
                record.getPod().map(ClaimWire::from));
        return seen(stamp, objects)
                .or(() -> record.getWithdrawn().map(each -> gone(stamp, each)))
                .or(() ->
                        marker(stamp, record.getListed(), record.getStale(), record.getProbe(), partition, partitions));
    }

    private static Optional<Observation> seen(Stamp stamp, List<Optional<? extends ClusterObject>> objects) {
        return objects.stream()
                .flatMap(Optional::stream)
                .findFirst()
                .map(object -> new Observation.Seen(stamp, object));
    }

    private static Observation gone(Stamp stamp, dev.claimstream.schemas.Withdrawn withdrawn) {
        return new Observation.Gone(
                stamp,
                kind(withdrawn.getKind()),
                new ObjectKey(withdrawn.getNamespace(), withdrawn.getName()),
                withdrawn.getUid());
    }

    private static Optional<Observation> marker(
            Stamp stamp,
            Optional<dev.claimstream.schemas.Listed> listed,
            Optional<dev.claimstream.schemas.Stale> stale,
            Optional<dev.claimstream.schemas.Probe> probe,
            int partition,
            int partitions) {
        return listed.<Observation>map(each -> new Observation.Listed(
                        new Stamp(stamp.source(), each.getEpoch(), each.getVersion()),
                        kind(each.getKind()),
                        partition,
                        partitions))
                .or(() -> stale.map(each -> new Observation.Stale(stamp, kind(each.getKind()))))
                .or(() -> probe.map(each -> new Observation.Probe(each.getId(), each.getPlace(), each.getRecords())));
    }

    private static boolean isSilent(dev.claimstream.schemas.Liveness liveness) {
        return switch (liveness.getState()) {
            case "silent" -> true;
            case "back" -> false;
            default ->
                throw new IllegalArgumentException("liveness of node %s: state %s is neither silent nor back"
                        .formatted(liveness.getNode(), liveness.getState()));
        };
    }

    static Kind kind(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.apiName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind %s is not known".formatted(name)));
    }

    /**
     * What is wrong with a record of {@code inventory.v1}, if anything: it is read as the cell would read it.
     */
    public static Optional<String> problem(dev.claimstream.schemas.InventoryRecord record) {
        return problem(new ArrayList<>(List.of(record.getSource())), () -> inventory(record, 0, 1));
    }

    /** What is wrong with a record of {@code claims.v1}, if anything. */
    public static Optional<String> problem(dev.claimstream.schemas.ClaimsRecord record) {
        return problem(new ArrayList<>(List.of(record.getSource())), () -> claims(record, 0, 1));
    }

    private static Optional<String> problem(
            List<String> required, java.util.function.Supplier<Optional<Observation>> read) {
        try {
            if (required.contains("")) {
                return Optional.of("the source is empty: name who says it");
            }
            return read.get().isPresent() ? Optional.empty() : Optional.of("nothing that is known is set");
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
