package dev.claimstream.audit.streams;

import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.ObjectMetaRecord;
import dev.claimstream.schemas.RouterInputRecord;
import java.util.List;
import java.util.Optional;

/** Describes inputs of cells and of the router for people, such as {@code Pod research/notebook-0}. */
public final class InputText {
    private InputText() {}

    /** Describes an input of the router. */
    public static String of(RouterInputRecord input) {
        return input.getObservation()
                .map(InputText::of)
                .or(() -> input.getReport()
                        .map(report -> "report of cell %d%s"
                                .formatted(
                                        report.getCell(),
                                        report.getItem()
                                                .map(item -> " on " + item(item))
                                                .orElse(""))))
                .or(() -> input.getRestoredPlacement().map(placed -> "placement of node " + placed.getNode()))
                .orElse("unknown input");
    }

    /** Describes an input of a cell. */
    public static String of(CellInputRecord input) {
        return input.getInventory()
                .map(InputText::inventory)
                .or(() -> input.getClaims().map(InputText::claims))
                .or(() -> input.getOutcome().map(each -> "commit outcome of claim uid " + each.getClaimUid()))
                .or(() -> input.getAssignment().map(each -> "assignment of " + item(each.getItem())))
                .or(() -> input.getDeclinedOffer().map(each -> "declined offer of " + item(each.getItem())))
                .or(() -> input.getNodeTransferRequest().map(each -> "transfer of node " + each.getNode()))
                .or(() -> input.getTick().map(_ -> "tick"))
                .or(() -> input.getWorkSlice().map(each -> "slice %d of unfinished work".formatted(each.getNumber())))
                .or(() -> input.getSettings().map(_ -> "settings"))
                .or(() -> input.getRebuild().map(_ -> "rebuild"))
                .or(() -> input.getRestoredDecision()
                        .map(each -> "restored decision on claim %s/%s".formatted(each.getNamespace(), each.getName())))
                .orElse("unknown input");
    }

    private static String item(ItemIdRecord item) {
        return "%s %s".formatted(item.getKind(), name(item.getNamespace(), item.getName()));
    }

    private static String inventory(InventoryRecord record) {
        return first(List.of(
                record.getSlice().map(each -> named("ResourceSlice", each.getMeta())),
                record.getNode().map(each -> named("Node", each.getMeta())),
                record.getDeviceClass().map(each -> named("DeviceClass", each.getMeta())),
                record.getTaintRule().map(each -> named("DeviceTaintRule", each.getMeta())),
                record.getNamespace().map(each -> named("Namespace", each.getMeta())),
                record.getLiveness().map(each -> "liveness of node " + each.getNode()),
                record.getDeleted().map(InputText::deleted),
                record.getSynced().map(each -> "list of kind " + each.getKind()),
                record.getStale().map(each -> "stale kind " + each.getKind()),
                record.getProbe().map(_ -> "probe")));
    }

    private static String claims(ClaimsRecord record) {
        return first(List.of(
                record.getClaim().map(each -> named("ResourceClaim", each.getMeta())),
                record.getPod().map(each -> named("Pod", each.getMeta())),
                record.getTemplate().map(each -> named("ResourceClaimTemplate", each.getMeta())),
                record.getPodGroup().map(each -> named("PodGroup", each.getMeta())),
                record.getDeleted().map(InputText::deleted),
                record.getSynced().map(each -> "list of kind " + each.getKind()),
                record.getStale().map(each -> "stale kind " + each.getKind()),
                record.getProbe().map(_ -> "probe")));
    }

    private static String first(List<Optional<String>> texts) {
        return texts.stream().flatMap(Optional::stream).findFirst().orElse("unknown record");
    }

    private static String deleted(DeletionMarker object) {
        return "deletion of %s %s".formatted(object.getKind(), name(object.getNamespace(), object.getName()));
    }

    private static String named(String kind, ObjectMetaRecord meta) {
        return "%s %s".formatted(kind, name(meta.getNamespace(), meta.getName()));
    }

    private static String name(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
