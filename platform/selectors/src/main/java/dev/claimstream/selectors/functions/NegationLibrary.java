package dev.claimstream.selectors.functions;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;

/**
 * Declares the operator {@code -x} with its overloads in Go's order.
 *
 * <p>A value without a type, such as an element of {@code []}, gets the type of the first overload: double.
 */
public final class NegationLibrary implements CelCompilerLibrary {
    @Override
    public void setCheckerOptions(CelCheckerBuilder checker) {
        checker.setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder()
                        .excludeFunctions(CelStandardDeclarations.StandardFunction.NEGATE)
                        .build())
                .addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(
                        "-_",
                        CelOverloadDecl.newGlobalOverload("negate_double", SimpleType.DOUBLE, SimpleType.DOUBLE),
                        CelOverloadDecl.newGlobalOverload("negate_int64", SimpleType.INT, SimpleType.INT)));
    }
}
