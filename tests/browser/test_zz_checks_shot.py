from pathlib import Path
from tests.browser.test_researcher import sign_in, pack
from tests.browser.test_rater import accessible
from tests.browser.kit import fits
OUT=Path("/tmp/ev/h5/checks/shots")
MAKE='''
from tests.tasks_app.checks_kit import checked_study, walk
from tests.walk import arrive
from django.contrib.auth.models import User
from tasks_app.models import *
from tasks_app.models import Membership
import tests.builders
o = User.objects.filter(is_superuser=True).first() or User.objects.filter(is_staff=True).first()
s = checked_study(o, slug="ch", checks={"repeats": 1, "warm_up": 1}, mistaken="i6", opened=False, items=12)
Item.objects.filter(study=s, key="i7").update(key="a-very-long-item-key-that-goes-on-and-on-and-on-2024-11-21")
Task.objects.filter(study=s).update(title="تقييم الطلاقة")
from tasks_app.services import lifecycle
s = lifecycle.move(study_id=s.pk, action="open", by=None)
for n in range(9):
    walk(s, arrive(s), [(), ("control",), ("exam",), ("attention",), ()][n % 5])
for n in range(2): arrive(s)
e = tests.builders.build_study(o, slug="empty")
'''
def test_shots(page, live_site, tmp_path):
    sign_in(page, live_site)
    live_site.manage("shell","-c",MAKE)
    for slug in ("ch","empty"):
        page.goto(f"/admin/studies/{slug}/checks/")
        for scheme in ("light","dark"):
            page.emulate_media(color_scheme=scheme)
            for w in (1280,390):
                page.set_viewport_size({"width":w,"height":900})
                page.screenshot(path=OUT/f"{slug}-{w}-{scheme}.png", full_page=True)
                try: fits(page)
                except AssertionError as e: print(slug,w,str(e)[:500])
        try: accessible(page,".ew")
        except AssertionError as e: print(str(e)[:800])
