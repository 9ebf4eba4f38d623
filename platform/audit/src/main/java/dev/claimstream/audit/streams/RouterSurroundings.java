package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.router.RouterRow.ItemLocation;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Stream;

/** Describes the work items that events of the router name, as they are in a state of the router. */
final class RouterSurroundings {
    private static final int ITEMS_MAX = 6;

    private RouterSurroundings() {}

    /** Returns at most 8 lines: the router, and the items of the events. */
    static List<String> lines(RouterState state, List<LedgerEvent> recorded, List<LedgerEvent> replayed) {
        SequencedSet<ItemId> items = new LinkedHashSet<>();
        Stream.concat(recorded.stream(), replayed.stream())
                .flatMap(event -> event.getDecision().stream())
                .map(RouterSurroundings::item)
                .forEach(items::add);
        Stream<String> more = items.size() > ITEMS_MAX
                ? Stream.of("… and %d more items".formatted(items.size() - ITEMS_MAX))
                : Stream.empty();
        return Stream.of(
                        Stream.of("router: %d cells, pending items at the router: %d, items in cells: %d"
                                .formatted(
                                        state.cells(),
                                        state.pending().size(),
                                        state.assignedItems().size())),
                        items.stream().limit(ITEMS_MAX).map(item -> "%s: %s".formatted(item, text(state, item))),
                        more)
                .flatMap(each -> each)
                .toList();
    }

    private static ItemId item(DecisionRecord decision) {
        var key = new ObjectKey(
                decision.getItem().getNamespace(), decision.getItem().getName());
        return decision.getItem().getKind().equals("pod") ? ItemId.pod(key) : ItemId.claim(key);
    }

    private static String text(RouterState state, ItemId id) {
        return state.item(id)
                .map(item -> switch (item.location()) {
                    case ItemLocation.AtRouter _ ->
                        "at the router%s"
                                .formatted(item.reason()
                                        .map(reason -> ", pending (%s)".formatted(reason))
                                        .orElse(""));
                    case ItemLocation.AssignedToCell to ->
                        "assigned to cell %d (attempt %d), tried in cells %s"
                                .formatted(to.cell(), to.attempt(), to.triedCells());
                    case ItemLocation.AllocatedInCell in -> "allocated in cell %d".formatted(in.cell());
                })
                .orElse("absent");
    }
}
