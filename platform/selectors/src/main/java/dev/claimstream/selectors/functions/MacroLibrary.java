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

    private static Optional<CelExpr> bind(CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        if (target.getKind() != Kind.IDENT || !target.ident().name().equals("cel")) {
            return Optional.empty();
        }
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(make, variable, "cel.bind() variable names must be simple identifiers");
        }
        return Optional.of(let(make, variable.ident().name(), arguments.get(1), arguments.get(2)));
    }

    private static Optional<CelExpr> optMap(
            CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(make, variable, "optMap() variable name must be a simple identifier");
        }
        CelExpr mapped =
                make.newGlobalCall("optional.of", ofValue(make, variable.ident().name(), target, arguments.get(1)));
        return Optional.of(ifPresent(make, target, mapped));
    }

    private static Optional<CelExpr> optFlatMap(
            CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != Kind.IDENT) {
            return error(make, variable, "optFlatMap() variable name must be a simple identifier");
        }
        return Optional.of(
                ifPresent(make, target, ofValue(make, variable.ident().name(), target, arguments.get(1))));
    }

    private static Optional<CelExpr> sortBy(
            CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        boolean isList = switch (target.getKind()) {
            case LIST, SELECT, IDENT, COMPREHENSION, CALL -> true;
            default -> false;
        };
        if (!isList) {
            return error(
                    make,
                    target,
                    "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
        }
        Optional<CelExpr> keys = CelStandardMacro.MAP
                .getDefinition()
                .getExpander()
                .expandMacro(make, make.newIdentifier(SORTED), arguments);
        return keys.map(list -> let(
                make, SORTED, target, make.newReceiverCall("@sortByAssociatedKeys", make.newIdentifier(SORTED), list)));
    }

    /** Returns {@code body} with the variable bound to the value of the optional {@code target}. */
    private static CelExpr ofValue(CelMacroExprFactory make, String variable, CelExpr target, CelExpr body) {
        return let(make, variable, make.newReceiverCall("value", make.copy(target)), body);
    }

    private static CelExpr ifPresent(CelMacroExprFactory make, CelExpr target, CelExpr result) {
        return make.newGlobalCall(
                Operator.CONDITIONAL.getFunction(),
                make.newReceiverCall("hasValue", target),
                result,
                make.newGlobalCall("optional.none"));
    }

    /** Returns a comprehension over an empty list: its accumulator is the variable, its result the body. */
    private static CelExpr let(CelMacroExprFactory make, String variable, CelExpr value, CelExpr body) {
        return make.fold(
                UNUSED,
                make.newList(),
                variable,
                value,
                make.newBoolLiteral(false),
                make.newIdentifier(variable),
                body);
    }

    private static Optional<CelExpr> error(CelMacroExprFactory make, CelExpr at, String message) {
        return Optional.of(make.reportError(CelIssue.formatError(make.getSourceLocation(at), message)));
    }
}
