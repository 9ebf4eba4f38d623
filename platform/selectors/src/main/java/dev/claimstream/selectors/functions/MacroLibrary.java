package dev.claimstream.selectors.functions;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelIssue;
import dev.cel.common.Operator;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import dev.cel.parser.CelParserBuilder;
import dev.cel.parser.CelStandardMacro;
import java.util.Optional;

/**
 * Macros that bind a variable. They expand like upstream's, so that the cost is the same.
 *
 * <p>Add this library after the one for optionals: it replaces two of its macros.
 */
public final class MacroLibrary implements CelCompilerLibrary {
    private static final String UNUSED = "#unused";
    private static final String SORTED = "@__sortBy_input__";

    @Override
    public void setParserOptions(CelParserBuilder parser) {
        parser.addMacros(
                CelMacro.newReceiverMacro("bind", 3, MacroLibrary::bind),
                CelMacro.newReceiverMacro("optMap", 2, MacroLibrary::optMap),
                CelMacro.newReceiverMacro("optFlatMap", 2, MacroLibrary::optFlatMap),
                CelMacro.newReceiverMacro("sortBy", 2, MacroLibrary::sortBy));
    }

    private static Optional<CelExpr> bind(
            CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
        if (target.getKind() != Kind.IDENT || !target.ident().name().equals("cel")) {
            return Optional.empty();
        }
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(factory, variable, "cel.bind() variable names must be simple identifiers");
        }
        return Optional.of(let(factory, variable.ident().name(), arguments.get(1), arguments.get(2)));
    }

    private static Optional<CelExpr> optMap(
            CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(factory, variable, "optMap() variable name must be a simple identifier");
        }
        CelExpr mapped = factory.newGlobalCall(
                "optional.of", ofValue(factory, variable.ident().name(), target, arguments.get(1)));
        return Optional.of(ifPresent(factory, target, mapped));
    }

    private static Optional<CelExpr> optFlatMap(
            CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(factory, variable, "optFlatMap() variable name must be a simple identifier");
        }
        return Optional.of(
                ifPresent(factory, target, ofValue(factory, variable.ident().name(), target, arguments.get(1))));
    }

    private static Optional<CelExpr> sortBy(
            CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
        boolean isList = switch (target.getKind()) {
            case LIST, SELECT, IDENT, COMPREHENSION, CALL -> true;
            default -> false;
        };
        if (!isList) {
            return error(
                    factory,
                    target,
                    "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
        }
        Optional<CelExpr> keys = CelStandardMacro.MAP
                .getDefinition()
                .getExpander()
                .expandMacro(factory, factory.newIdentifier(SORTED), arguments);
        return keys.map(list -> let(
                factory,
                SORTED,
                target,
                factory.newReceiverCall("@sortByAssociatedKeys", factory.newIdentifier(SORTED), list)));
    }

    /** Returns {@code body} with the variable bound to the value of the optional {@code target}. */
    private static CelExpr ofValue(CelMacroExprFactory factory, String variable, CelExpr target, CelExpr body) {
        return let(factory, variable, factory.newReceiverCall("value", factory.copy(target)), body);
    }

    private static CelExpr ifPresent(CelMacroExprFactory factory, CelExpr target, CelExpr result) {
        return factory.newGlobalCall(
                Operator.CONDITIONAL.getFunction(),
                factory.newReceiverCall("hasValue", target),
                result,
                factory.newGlobalCall("optional.none"));
    }

    /** Returns a comprehension over an empty list: its accumulator is the variable, its result the body. */
    private static CelExpr let(CelMacroExprFactory factory, String variable, CelExpr value, CelExpr body) {
        return factory.fold(
                UNUSED,
                factory.newList(),
                variable,
                value,
                factory.newBoolLiteral(false),
                factory.newIdentifier(variable),
                body);
    }

    private static Optional<CelExpr> error(CelMacroExprFactory factory, CelExpr at, String message) {
        return Optional.of(factory.reportError(CelIssue.formatError(factory.getSourceLocation(at), message)));
    }
}
