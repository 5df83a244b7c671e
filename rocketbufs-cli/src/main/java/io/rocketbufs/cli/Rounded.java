package io.rocketbufs.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Human-readable texts for measured values, rounded to two significant digits. */
public final class Rounded {
    private static final double THOUSAND = 1e3;
    private static final double MILLION = 1e6;
    private static final double TEN = 10;
    private static final MathContext TWO_DIGITS = new MathContext(2);

    private Rounded() {}

    /** Returns a number with commas between groups of thousands. */
    public static String number(double number) {
        BigDecimal two = BigDecimal.valueOf(number).round(TWO_DIGITS);
        return String.format(Locale.ROOT, two.abs().doubleValue() < TEN ? "%,.1f" : "%,.0f", two);
    }

    /** Returns a time with its unit. */
    public static String micros(double micros) {
        if (micros < THOUSAND) {
            return number(micros) + " us";
        }
        return micros < MILLION ? number(micros / THOUSAND) + " ms" : number(micros / MILLION) + " s";
    }
}
