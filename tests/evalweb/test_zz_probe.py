import re
from tests.evalweb.test_admin_frame import sign_in
def test_x(page, live_site, page_problems):
    sign_in(page, live_site)
    for a in ("/admin/","/admin/auth/user/","/admin/auth/user/add/","/admin/auth/user/1/change/","/admin/password_change/","/admin/auth/group/add/","/admin/studies/", "/admin/auth/user/?q=x"):
        page_problems.clear()
        r=page.goto(a)
        html=r.text()
        print("PAGE",a,r.status,len(page_problems), set(re.findall(r"'(sha256-[^']*)'"," ".join(page_problems))), re.findall(r"<\w+[^>]*style=[^>]*>",html)[:3], "<style" in html)
    page_problems.clear()
