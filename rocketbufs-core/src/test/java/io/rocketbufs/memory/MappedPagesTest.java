package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Library;
import com.kenai.jffi.Type;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MappedPagesTest {
    private final MemoryCalls calls = MemoryCalls.load();

    @Test
    void shouldReadZeroWhenDropped() {
        MappedPages pages = MappedPages.reserve(calls, 2 * calls.pageLength());
        ByteBuffer view = pages.view(0, (int) pages.length());
        view.put(0, (byte) 1).put((int) calls.pageLength(), (byte) 2);
        pages.drop(0, calls.pageLength());

        assertThat(view.get(0)).isZero();
        assertThat(view.get((int) calls.pageLength())).isEqualTo((byte) 2);
        pages.unmap();
    }

    @Test
    void shouldReadZeroWhenDroppedEvenIfThePagesAreLocked() {
        MappedPages page = MappedPages.reserve(calls, calls.pageLength());
        assumeTrue(mlock(page) == 0, "the limit on locked memory (ulimit -l) is less than a page");
        assertThat(calls.dontNeed(page.address(), page.length())).isFalse();

        ByteBuffer view = page.view(0, (int) page.length());
        view.put(0, (byte) 1);
        page.drop(0, page.length());
        assertThat(view.get(0)).isZero();
        page.unmap();
    }

    private static int mlock(MappedPages pages) {
        Type[] parameters = {Type.SINT64, Type.SINT64};
        CallContext context = CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, false);
        long mlock = Library.getDefault().getSymbolAddress("mlock");
        return (int) Invoker.getInstance().invokeN2(context, mlock, pages.address(), pages.length());
    }
}
