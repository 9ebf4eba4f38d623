package dev.claimstream.console;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes the responses of the paths of a controller that asks another service. */
@ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
@ApiResponse(responseCode = "422", ref = "#/components/responses/TooMuch")
@ApiResponse(responseCode = "501", ref = "#/components/responses/NoService")
@ApiResponse(responseCode = "502", ref = "#/components/responses/BadService")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface RelayResponses {}
