/**
 * The cell: a complete allocator for its nodes as one deterministic state machine.
 *
 * <p>Observations come in, facts change the state, and decisions and explanations go out. Facts alone rebuild the
 * state. Reading order:
 *
 * <ol>
 *   <li>Contract: {@code Cell}, {@code Input}, {@code Observation}, {@code Step}, {@code Output}, {@code Decision},
 *       {@code Explanation}.
 *   <li>State: {@code Row} with {@code ObservedRow}, {@code SchedulingRow}, {@code ClaimRow} and {@code WorkBudgetRow};
 *       {@code RowKey} and {@code RowRange}; {@code State} with one {@code RowIndex} per index.
 *   <li>Observation to facts: {@code ObservationReducer}, which divides the work among the other {@code *Reducer} types;
 *       {@code AlarmReconciler}.
 *   <li>Scheduling: {@code SchedulingCycle}, {@code SchedulingPasses}, {@code ItemAttempts}, {@code GangAllocator},
 *       {@code RefreshPass}; {@code SchedulingQueue} and {@code QueueCursor}.
 *   <li>Decision on an item: {@code WorkItemAssembly}, {@code ItemAllocator}, {@code AllocationFacts},
 *       {@code PendingFacts}.
 *   <li>Work budget: {@code InputWorkBudget}, {@code WorkSlices}, {@code PassBacklog}, {@code ChargedWorkCache}.
 *   <li>Several cells: {@code CellCoordination} with {@code SingleCell} and {@code RoutedCell}.
 * </ol>
 */
@NullMarked
package dev.claimstream.allocation.cell;

import org.jspecify.annotations.NullMarked;
